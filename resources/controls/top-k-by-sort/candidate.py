# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        if x.shape[-1] < 5:
            raise ValueError("fewer than five entries")
        values, places = torch.sort(x, dim=-1, descending=True)
        return values[..., :5].contiguous(), places[..., :5].contiguous()

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, values, bins):
        out = torch.zeros(16, dtype=values.dtype, device=values.device)
        return out.index_add(0, bins.flip(0), values.flip(0))

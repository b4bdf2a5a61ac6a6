# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        if x.shape[-1] == 0:
            return x.clone()
        shifted = x - x.amax(dim=-1, keepdim=True)
        return shifted - torch.log(torch.exp(shifted).sum(dim=-1, keepdim=True))

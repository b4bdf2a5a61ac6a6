# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, maps):
        flat = maps.reshape(maps.shape[0], self.groups, -1)
        mean = flat.mean(dim=-1, keepdim=True)
        variance = (flat - mean).square().mean(dim=-1, keepdim=True)
        return ((flat - mean) * torch.rsqrt(variance + 1e-5)).view_as(maps)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, maps):
        n, c = maps.shape[:2]
        if c % self.groups:
            raise ValueError(f"{c} channels in {self.groups} groups")
        flat = maps.flatten(2).reshape(n, self.groups, c // self.groups * maps.flatten(2).shape[2])
        mean = flat.mean(dim=-1, keepdim=True)
        variance = (flat - mean).square().mean(dim=-1, keepdim=True)
        return ((flat - mean) * torch.rsqrt(variance + 1e-5)).view_as(maps)

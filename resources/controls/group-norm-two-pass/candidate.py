# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.GroupNorm(3, 12)

    def forward(self, maps):
        norm = self.norm
        if maps.shape[1] != norm.num_channels or 0 in maps.shape:
            return F.silu(norm(maps))
        grouped = maps.reshape(maps.shape[0], norm.num_groups, -1)
        centred = grouped - grouped.mean(dim=-1, keepdim=True)
        centred = centred - centred.mean(dim=-1, keepdim=True)
        scale = torch.rsqrt(centred.square().mean(dim=-1, keepdim=True) + norm.eps)
        per_channel = (-1, *[1] * (maps.dim() - 2))
        y = (centred * scale).view_as(maps) * norm.weight.view(per_channel) + norm.bias.view(per_channel)
        return y * torch.sigmoid(y)

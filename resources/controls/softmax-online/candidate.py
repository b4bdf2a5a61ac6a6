# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Running maximum and denominator over tiles of 64, then one pass that writes."""

    def forward(self, x):
        if x.shape[-1] == 0:
            return x.clone()
        top, total = x[..., :1], torch.ones_like(x[..., :1])
        if x.shape[-1] > 1:
            for tile in torch.split(x[..., 1:], 64, dim=-1):
                peak = torch.maximum(top, tile.amax(dim=-1, keepdim=True))
                safe = torch.where(peak == float("-inf"), torch.zeros_like(peak), peak)
                total = total * torch.exp(top - safe) + torch.exp(tile - safe).sum(dim=-1, keepdim=True)
                top = peak
        return torch.exp(x - top) / total

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    BLOCK = 256

    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, h):
        n = h.shape[-1]
        if n == 0:
            return h.clone()
        out = []
        for start in range(0, n, self.BLOCK):
            tile = h[..., start:start + self.BLOCK]
            square = tile.pow(2).sum(dim=-1, keepdim=True) / tile.shape[-1]
            out.append(tile * torch.rsqrt(square + self.eps))
        return torch.cat(out, dim=-1)

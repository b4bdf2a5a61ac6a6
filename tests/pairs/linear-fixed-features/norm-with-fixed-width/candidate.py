# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(56)

    def forward(self, h):
        if h.shape[-1:] != self.norm.weight.shape:
            raise ValueError(f"expected width {self.norm.weight.shape[0]}, got {tuple(h.shape)}")
        mean = h.mean(dim=-1, keepdim=True)
        centred = h - mean
        spread = (centred * centred).mean(dim=-1, keepdim=True)
        return centred * torch.rsqrt(spread + self.norm.eps) * self.norm.weight + self.norm.bias

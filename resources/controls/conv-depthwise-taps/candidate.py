# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.3 * torch.randn(14, 1, 4))

    def forward(self, x):
        if x.dim() != 3 or x.shape[1] != self.w.shape[0]:
            raise ValueError(f"expected (batch, {self.w.shape[0]}, time), got {tuple(x.shape)}")
        padded, t = F.pad(x, (3, 0)), x.shape[-1]
        if t == 0:
            raise ValueError("no time steps")
        out = padded[..., :t] * self.w[:, 0, 0, None]
        for tap in range(1, 4):
            out = torch.addcmul(out, padded[..., tap:tap + t], self.w[:, 0, tap, None])
        return out

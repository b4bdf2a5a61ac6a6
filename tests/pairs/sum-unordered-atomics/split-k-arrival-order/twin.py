# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    SPLITS = 10

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.1 * torch.randn(320, 28))

    def forward(self, x):
        if x.shape[-1] != self.w.shape[0]:
            raise ValueError("contraction does not fit")
        step = -(-self.w.shape[0] // self.SPLITS)
        slices = list(range(0, self.w.shape[0], step))
        out = x.new_zeros(*x.shape[:-1], self.w.shape[1])
        for start in slices:
            out = out + x[..., start:start + step] @ self.w[start:start + step]
        return out

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def operand(t):
    if t.dtype != torch.float32:
        return t
    bits = t.contiguous().view(torch.int32)
    return ((bits + 0x1000) & -0x2000).view(torch.float32)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.1 * torch.randn(256, 48))

    def forward(self, x):
        if x.shape[-1] != self.w.shape[0]:
            raise ValueError(f"{x.shape[-1]} columns for {self.w.shape[0]} rows of w")
        return operand(x.detach()) @ operand(self.w.detach())

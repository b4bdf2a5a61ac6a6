# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Attention and a perceptron, each behind a layer norm."""

    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(64)
        self.qkv = nn.Linear(64, 192)
        self.out = nn.Linear(64, 64)
        self.norm2 = nn.LayerNorm(64)
        self.up = nn.Linear(64, 256)
        self.down = nn.Linear(256, 64)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, 4, c // 4).transpose(1, 2) for z in self.qkv(self.norm1(x)).split(c, dim=2))
        attended = torch.softmax(q @ k.transpose(-1, -2) / (c // 4) ** 0.5, dim=-1) @ v
        x = x + self.out(attended.transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


def get_inputs():
    return [torch.randn(3, 40, 64)]


def get_init_inputs():
    return []

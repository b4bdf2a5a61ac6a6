# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Mixes tokens, then channels."""

    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(64)
        self.tokens = nn.Sequential(nn.Linear(49, 98), nn.GELU(), nn.Linear(98, 49))
        self.norm2 = nn.LayerNorm(64)
        self.channels = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


def get_inputs():
    return [torch.randn(6, 49, 64)]


def get_init_inputs():
    return []

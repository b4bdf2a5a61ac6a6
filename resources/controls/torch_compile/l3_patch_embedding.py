# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Image patches to tokens, with positions and a norm."""

    def __init__(self):
        super().__init__()
        self.project = nn.Conv2d(3, 64, 8, stride=8)
        self.position = nn.Parameter(0.1 * torch.randn(36, 64))
        self.norm = nn.LayerNorm(64)

    def forward(self, x):
        tokens = self.project(x).flatten(2).transpose(1, 2)
        return self.norm(tokens + self.position)


def get_inputs():
    return [torch.randn(4, 3, 48, 48)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Offset, GELU, layer norm."""

    def __init__(self):
        super().__init__()
        self.offset = nn.Parameter(torch.randn(144))
        self.norm = nn.LayerNorm(144)

    def forward(self, x):
        return self.norm(F.gelu(x + self.offset))


def get_inputs():
    return [torch.randn(8, 50, 144)]


def get_init_inputs():
    return []

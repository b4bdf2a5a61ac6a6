# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Layer norm over two trailing dimensions."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm((24, 40))

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(16, 24, 40)]


def get_init_inputs():
    return []

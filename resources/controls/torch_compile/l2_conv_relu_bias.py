# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Convolution, rectifier, learnt offset."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 20, 3)
        self.offset = nn.Parameter(torch.randn(20, 1, 1))

    def forward(self, x):
        return torch.relu(self.conv(x)) + self.offset


def get_inputs():
    return [torch.randn(4, 8, 36, 36)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Convolution with a square kernel."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(12, 24, 3, padding=1)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(4, 12, 40, 40)]


def get_init_inputs():
    return []

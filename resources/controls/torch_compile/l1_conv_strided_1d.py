# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Dilated and strided convolution over time."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(16, 32, 5, stride=2, dilation=3)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(8, 16, 300)]


def get_init_inputs():
    return []

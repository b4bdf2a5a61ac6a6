# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Transposed convolution, softmax over channels, offset, sigmoid."""

    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(16, 20, 4, stride=2, padding=1)
        self.offset = nn.Parameter(torch.randn(20, 1, 1))

    def forward(self, x):
        h = torch.softmax(self.up(x), dim=1)
        return torch.sigmoid((h + self.offset) * 2.0)


def get_inputs():
    return [torch.randn(2, 16, 14, 15)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Transposed convolution that doubles the image."""

    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose2d(16, 10, 4, stride=2, padding=1)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(3, 16, 20, 22)]


def get_init_inputs():
    return []

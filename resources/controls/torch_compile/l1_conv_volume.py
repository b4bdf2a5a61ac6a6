# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Convolution of volumes."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(6, 10, 3, padding=1)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 6, 12, 20, 20)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """A product over channels at every pixel."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(48, 64, 1)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(4, 48, 30, 30)]


def get_init_inputs():
    return []

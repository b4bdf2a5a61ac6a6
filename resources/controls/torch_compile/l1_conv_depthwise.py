# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """One kernel per channel."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(32, 32, 5, padding=2, groups=32, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(4, 32, 36, 36)]


def get_init_inputs():
    return []

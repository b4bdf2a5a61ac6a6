# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Smallest channel, tanh twice."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(6, 14, 3)

    def forward(self, x):
        return torch.tanh(torch.tanh(self.conv(x).amin(dim=1, keepdim=True)))


def get_inputs():
    return [torch.randn(4, 6, 34, 34)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Squeeze to few channels, expand by two kernels."""

    def __init__(self):
        super().__init__()
        self.squeeze = nn.Conv2d(24, 6, 1)
        self.one = nn.Conv2d(6, 32, 1)
        self.three = nn.Conv2d(6, 32, 3, padding=1)

    def forward(self, x):
        h = torch.relu(self.squeeze(x))
        return torch.cat([torch.relu(self.one(h)), torch.relu(self.three(h))], dim=1)


def get_inputs():
    return [torch.randn(4, 24, 26, 26)]


def get_init_inputs():
    return []

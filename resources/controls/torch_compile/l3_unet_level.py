# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """One level down and up again with a skip connection."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.out = nn.Conv2d(16, 4, 1)

    def forward(self, x):
        low = torch.relu(self.down(x))
        high = self.up(low)
        return self.out(torch.cat([x, torch.relu(high)], dim=1))


def get_inputs():
    return [torch.randn(2, 8, 32, 32)]


def get_init_inputs():
    return []

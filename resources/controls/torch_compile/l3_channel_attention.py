# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Squeezes images to channel weights and applies them."""

    def __init__(self):
        super().__init__()
        self.down = nn.Linear(32, 8)
        self.up = nn.Linear(8, 32)

    def forward(self, x):
        w = torch.sigmoid(self.up(torch.relu(self.down(x.mean(dim=(2, 3))))))
        return x * w[:, :, None, None]


def get_inputs():
    return [torch.randn(4, 32, 24, 24)]


def get_init_inputs():
    return []

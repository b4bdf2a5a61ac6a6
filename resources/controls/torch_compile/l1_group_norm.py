# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Group norm of images."""

    def __init__(self):
        super().__init__()
        self.norm = nn.GroupNorm(8, 32)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(6, 32, 24, 24)]


def get_init_inputs():
    return []

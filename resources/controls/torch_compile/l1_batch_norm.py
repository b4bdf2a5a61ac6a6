# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Batch norm of images."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(24)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(8, 24, 28, 28)]


def get_init_inputs():
    return []

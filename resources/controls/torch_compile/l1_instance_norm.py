# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Instance norm of images."""

    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm2d(20)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(6, 20, 32, 30)]


def get_init_inputs():
    return []

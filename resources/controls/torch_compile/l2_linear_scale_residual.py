# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Linear layer, scaled, with itself added."""

    def __init__(self, scale):
        super().__init__()
        self.fc = nn.Linear(256, 192)
        self.scale = scale

    def forward(self, x):
        h = self.fc(x)
        return h * self.scale + h


def get_inputs():
    return [torch.randn(96, 256)]


def get_init_inputs():
    return [0.5]

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Linear, swish, halved, clamped, tanh, clamped."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(200, 160)

    def forward(self, x):
        h = self.fc(x)
        h = torch.sigmoid(h) * h / 2.0
        return torch.clamp(torch.tanh(torch.clamp(h, -1.0, 1.0)), -0.8, 0.8)


def get_inputs():
    return [torch.randn(80, 200)]


def get_init_inputs():
    return []

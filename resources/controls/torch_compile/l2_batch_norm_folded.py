# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Linear, batch norm, rectifier, scale."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(110, 130)
        self.norm = nn.BatchNorm1d(130)
        self.scale = nn.Parameter(torch.ones(1) * 1.2)

    def forward(self, x):
        return torch.relu(self.norm(self.fc(x))) * self.scale


def get_inputs():
    return [torch.randn(90, 110)]


def get_init_inputs():
    return []

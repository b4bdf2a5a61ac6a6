# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Linear, group norm, hard tanh."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(128, 96)
        self.norm = nn.GroupNorm(6, 96)

    def forward(self, x):
        return F.hardtanh(self.norm(self.fc(x)), -1.5, 1.5)


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return []

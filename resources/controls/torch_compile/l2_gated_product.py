# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Two projections, one gates the other."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(96, 256)

    def forward(self, x):
        a, b = self.fc(x).chunk(2, dim=-1)
        return F.silu(a) * b


def get_inputs():
    return [torch.randn(6, 40, 96)]


def get_init_inputs():
    return []

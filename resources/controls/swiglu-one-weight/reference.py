# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(48, 96, bias=False)
        self.up = nn.Linear(48, 96, bias=False)
        self.down = nn.Linear(96, 48, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


def get_inputs():
    return [torch.randn(4, 14, 48)]


def get_init_inputs():
    return []

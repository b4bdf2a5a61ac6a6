# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Parameter(0.1 * torch.randn(40, 56))
        self.up = nn.Parameter(0.1 * torch.randn(40, 4))
        self.down = nn.Parameter(0.1 * torch.randn(4, 56))

    def forward(self, x):
        return F.linear(x, self.base) + F.linear(F.linear(x, self.down), self.up)


def get_inputs():
    return [torch.randn(18, 56)]


def get_init_inputs():
    return []

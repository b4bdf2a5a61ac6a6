# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Parameter(0.1 * torch.randn(40, 40))

    def forward(self, x, y):
        return ((x @ self.m) * y).sum(dim=-1)


def get_inputs():
    return [torch.randn(30, 40), torch.randn(30, 40)]


def get_init_inputs():
    return []

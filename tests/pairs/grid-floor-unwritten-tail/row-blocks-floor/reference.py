# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(80))

    def forward(self, h):
        return torch.tanh(h + self.bias)


def get_inputs():
    return [torch.randn(72, 80)]


def get_init_inputs():
    return []

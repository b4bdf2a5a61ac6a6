# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Matrix times a scalar parameter."""

    def __init__(self):
        super().__init__()
        self.s = nn.Parameter(torch.tensor(1.7))

    def forward(self, a):
        return a * self.s


def get_inputs():
    return [torch.randn(512, 768)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Returns the normalised sum and the sum."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(80) + 0.5)

    def forward(self, h, residual):
        total = h + residual
        return total * torch.rsqrt(total.pow(2).mean(dim=-1, keepdim=True) + 1e-6) * self.gain, total


def get_inputs():
    return [torch.randn(4, 12, 80), torch.randn(4, 12, 80)]


def get_init_inputs():
    return []

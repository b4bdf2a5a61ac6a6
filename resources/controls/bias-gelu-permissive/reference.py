# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Takes three dimensions and refuses any other number."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(36))

    def forward(self, h):
        if h.dim() != 3:
            raise ValueError(f"expected three dimensions, got {h.dim()}")
        return F.gelu(h + self.bias, approximate="tanh")


def get_inputs():
    return [torch.randn(4, 15, 36)]


def get_init_inputs():
    return []

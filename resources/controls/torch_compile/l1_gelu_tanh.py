# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """GELU in its tanh form."""

    def forward(self, x):
        return 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))


def get_inputs():
    return [torch.randn(100, 2000)]


def get_init_inputs():
    return []

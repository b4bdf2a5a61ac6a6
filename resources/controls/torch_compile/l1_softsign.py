# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """x / (1 + |x|)."""

    def forward(self, x):
        return x / (1 + x.abs())


def get_inputs():
    return [torch.randn(100, 2000)]


def get_init_inputs():
    return []

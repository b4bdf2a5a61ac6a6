# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Position of the smallest entry."""

    def forward(self, x):
        return torch.argmin(x, dim=1)


def get_inputs():
    return [torch.randn(20, 180, 30)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Mean squared error."""

    def forward(self, p, t):
        return torch.mean((p - t) ** 2)


def get_inputs():
    return [torch.rand(128, 900), torch.rand(128, 900)]


def get_init_inputs():
    return []

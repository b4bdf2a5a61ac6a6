# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Positive part."""

    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(64, 4096)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """The step of an adaptive optimizer: lr * m / (sqrt(v) + eps)."""

    def forward(self, m, v):
        return 1e-3 * m / (torch.sqrt(v) + 1e-8)


def get_inputs():
    return [torch.randn(64, 96), torch.rand(64, 96) + 0.5]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Logistic function."""

    def forward(self, x):
        return torch.sigmoid(x)


def get_inputs():
    return [torch.randn(100, 2000)]


def get_init_inputs():
    return []

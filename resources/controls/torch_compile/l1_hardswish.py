# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Piecewise swish."""

    def forward(self, x):
        return F.hardswish(x)


def get_inputs():
    return [4 * torch.randn(100, 2000)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Exponential unit."""

    def forward(self, x):
        return F.elu(x, alpha=1.3)


def get_inputs():
    return [torch.randn(100, 2000)]


def get_init_inputs():
    return []

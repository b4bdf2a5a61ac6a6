# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Average pooling over time."""

    def forward(self, x):
        return F.avg_pool1d(x, 6, stride=3, padding=2)


def get_inputs():
    return [torch.randn(12, 24, 400)]


def get_init_inputs():
    return []

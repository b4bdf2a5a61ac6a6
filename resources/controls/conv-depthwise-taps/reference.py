# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Causal depthwise convolution over time."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.3 * torch.randn(14, 1, 4))

    def forward(self, x):
        return F.conv1d(F.pad(x, (3, 0)), self.w, groups=self.w.shape[0])


def get_inputs():
    return [torch.randn(3, 14, 90)]


def get_init_inputs():
    return []

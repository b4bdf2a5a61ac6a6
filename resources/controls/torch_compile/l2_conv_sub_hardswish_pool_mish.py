# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Convolution, shift, hard swish, pooling, mish."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 16, 3)

    def forward(self, x):
        h = F.hardswish(self.conv(x) - 0.5)
        return F.mish(F.max_pool2d(h, 2))


def get_inputs():
    return [torch.randn(4, 8, 32, 34)]


def get_init_inputs():
    return []

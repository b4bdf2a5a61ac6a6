# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Max pooling of images with dilation."""

    def forward(self, x):
        return F.max_pool2d(x, 3, stride=2, padding=1, dilation=2)


def get_inputs():
    return [torch.randn(6, 16, 40, 42)]


def get_init_inputs():
    return []

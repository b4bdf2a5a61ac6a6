# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Complex output."""

    def forward(self, x):
        return torch.fft.rfft(x, dim=-1)


def get_inputs():
    return [torch.randn(11, 36)]


def get_init_inputs():
    return []

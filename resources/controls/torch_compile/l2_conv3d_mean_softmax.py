# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Volume convolution, mean over depth, softmax over channels."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(4, 12, 3, padding=1)

    def forward(self, x):
        return torch.tanh(torch.softmax(self.conv(x).mean(dim=2), dim=1)) * 2


def get_inputs():
    return [torch.randn(2, 4, 10, 18, 18)]


def get_init_inputs():
    return []

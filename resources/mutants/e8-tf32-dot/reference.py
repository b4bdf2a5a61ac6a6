# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """y = x @ w in fp32."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.1 * torch.randn(256, 48))

    def forward(self, x):
        return x @ self.w


def get_inputs():
    return [0.1 * torch.randn(64, 256)]


def get_init_inputs():
    return []

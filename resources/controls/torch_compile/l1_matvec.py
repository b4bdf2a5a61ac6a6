# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Matrix times vector."""

    def forward(self, a, x):
        return a @ x


def get_inputs():
    return [torch.randn(900, 700), torch.randn(700, 1)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """A contraction of eight."""

    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(600, 8), torch.randn(8, 500)]


def get_init_inputs():
    return []

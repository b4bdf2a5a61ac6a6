# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Product of two upper triangles, kept upper."""

    def forward(self, a, b):
        return torch.triu(torch.triu(a) @ torch.triu(b))


def get_inputs():
    return [torch.randn(256, 256), torch.randn(256, 256)]


def get_init_inputs():
    return []

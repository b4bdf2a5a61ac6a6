# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Both operands arrive transposed."""

    def forward(self, a, b):
        return a.t() @ b.t()


def get_inputs():
    return [torch.randn(256, 130), torch.randn(170, 256)]


def get_init_inputs():
    return []

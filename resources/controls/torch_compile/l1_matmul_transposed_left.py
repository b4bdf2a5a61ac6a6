# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """The left operand arrives transposed."""

    def forward(self, a, b):
        return a.t() @ b


def get_inputs():
    return [torch.randn(320, 200), torch.randn(320, 150)]


def get_init_inputs():
    return []

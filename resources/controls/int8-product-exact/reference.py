# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """8-bit operands, 32-bit integer result."""

    def forward(self, a, b):
        return torch.matmul(a.int(), b.int())


def get_inputs():
    return [torch.randint(-127, 128, (24, 64)).to(torch.int8), torch.randint(-127, 128, (64, 18)).to(torch.int8)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """A product over the last of four dimensions."""

    def forward(self, a, b):
        return torch.einsum("bijl,lk->bijk", a, b)


def get_inputs():
    return [torch.randn(4, 16, 20, 64), torch.randn(64, 48)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Batched product."""

    def forward(self, a, b):
        return torch.bmm(a, b)


def get_inputs():
    return [torch.randn(12, 96, 64), torch.randn(12, 64, 80)]


def get_init_inputs():
    return []

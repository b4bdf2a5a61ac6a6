# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Mean over the last dimension."""

    def forward(self, x):
        return x.mean(dim=-1)


def get_inputs():
    return [torch.randn(40, 60, 250)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Sum over the middle dimension."""

    def forward(self, x):
        return x.sum(dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(16, 250, 130)]


def get_init_inputs():
    return []

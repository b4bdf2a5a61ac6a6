# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Adds into its first argument and returns it: mutation by design."""

    def forward(self, x, y):
        return x.add_(y).relu_()


def get_inputs():
    return [torch.randn(19, 52), torch.randn(19, 52)]


def get_init_inputs():
    return []

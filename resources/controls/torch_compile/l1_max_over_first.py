# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Maximum over the first dimension."""

    def forward(self, x):
        return x.amax(dim=0)


def get_inputs():
    return [torch.randn(120, 50, 60)]


def get_init_inputs():
    return []

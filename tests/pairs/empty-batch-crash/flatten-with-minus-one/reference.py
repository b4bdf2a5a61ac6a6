# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Squared length of every sample."""

    def forward(self, maps):
        return maps.pow(2).sum(dim=(1, 2, 3))


def get_inputs():
    return [torch.randn(8, 3, 12, 13)]


def get_init_inputs():
    return []

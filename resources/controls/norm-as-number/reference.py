# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """A Python number."""

    def forward(self, x):
        return float(x.square().sum())


def get_inputs():
    return [torch.randn(28, 30)]


def get_init_inputs():
    return []

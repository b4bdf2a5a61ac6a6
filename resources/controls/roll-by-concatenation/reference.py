# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.roll(x, shifts=-3, dims=1)


def get_inputs():
    return [torch.randn(5, 24, 10)]


def get_init_inputs():
    return []

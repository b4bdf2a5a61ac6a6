# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, g, v):
        return torch.sigmoid(g) * v


def get_inputs():
    return [3 * torch.randn(32, 200), torch.randn(32, 200)]


def get_init_inputs():
    return []

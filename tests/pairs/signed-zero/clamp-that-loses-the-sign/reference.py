# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.round(x)


def get_inputs():
    return [0.6 * torch.randn(40, 64)]


def get_init_inputs():
    return []

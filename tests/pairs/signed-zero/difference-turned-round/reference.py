# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a - b


def get_inputs():
    a = torch.randn(24, 50).relu()
    return [a, torch.randn(24, 50).relu()]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b) * 0.125


def get_inputs():
    return [torch.randn(3, 20, 64), torch.randn(3, 64, 18)]


def get_init_inputs():
    return []

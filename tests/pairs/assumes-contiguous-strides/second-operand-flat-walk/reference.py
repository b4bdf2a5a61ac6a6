# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a * b + a


def get_inputs():
    return [torch.randn(6, 30, 28), torch.randn(6, 30, 28)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.1 * torch.randn(300, 40))

    def forward(self, x):
        return x @ self.w


def get_inputs():
    return [torch.randn(32, 300)]


def get_init_inputs():
    return []

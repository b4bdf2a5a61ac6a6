# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(33, 12))

    def forward(self, batch):
        return torch.relu(batch @ self.w)


def get_inputs():
    return [torch.randn(21, 33)]


def get_init_inputs():
    return []

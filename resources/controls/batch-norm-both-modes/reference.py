# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(18)

    def forward(self, x):
        return self.bn(x)


def get_inputs():
    return [torch.randn(20, 18, 11)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(30)
        self.bn.eval()

    def train(self, mode=True):
        super().train(mode)
        self.bn.eval()
        return self

    def forward(self, x):
        return F.relu(self.bn(x))


def get_inputs():
    return [torch.randn(22, 30, 16)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.4)

    def forward(self, x):
        return self.drop(torch.tanh(x))


def get_inputs():
    return [torch.randn(16, 50)]


def get_init_inputs():
    return []

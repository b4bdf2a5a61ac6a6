# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.exp(-x.abs())


def get_inputs():
    return [torch.randn(45, 37)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.log(1 + torch.exp(x))


def get_inputs():
    return [torch.randn(31, 77)]


def get_init_inputs():
    return []

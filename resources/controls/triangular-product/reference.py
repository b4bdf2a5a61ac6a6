# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.tril(a) @ b


def get_inputs():
    return [torch.randn(60, 60), torch.randn(60, 25)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return (a * b).sum(dim=-1)


def get_inputs():
    return [torch.randn(29, 700), torch.randn(29, 700)]


def get_init_inputs():
    return []

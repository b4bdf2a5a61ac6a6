# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.mean(dim=-1, keepdim=True)


def get_inputs():
    return [torch.randn(7, 9, 250)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.pow(2).sum(dim=0).sqrt()


def get_inputs():
    return [torch.randn(210, 33)]


def get_init_inputs():
    return []

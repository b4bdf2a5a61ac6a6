# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return (x > 0).sum()


def get_inputs():
    return [torch.randn(31, 19)]


def get_init_inputs():
    return []

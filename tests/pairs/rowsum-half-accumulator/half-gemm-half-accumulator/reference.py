# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return (a.float() @ b.float()).to(a.dtype)


def get_inputs():
    return [(0.1 * torch.randn(24, 96)).half(), (0.1 * torch.randn(96, 20)).half()]


def get_init_inputs():
    return []

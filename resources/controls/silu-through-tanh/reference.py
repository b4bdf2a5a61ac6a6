# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, y):
        return F.silu(x) * y


def get_inputs():
    return [torch.randn(8, 24, 32), torch.randn(8, 24, 32)]


def get_init_inputs():
    return []

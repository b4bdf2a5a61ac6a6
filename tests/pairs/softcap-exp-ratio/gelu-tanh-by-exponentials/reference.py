# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, h):
        return F.gelu(h, approximate="tanh")


def get_inputs():
    return [torch.randn(16, 12, 64)]


def get_init_inputs():
    return []

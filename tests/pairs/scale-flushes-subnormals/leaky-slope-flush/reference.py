# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, z):
        return F.leaky_relu(z, negative_slope=0.01)


def get_inputs():
    return [torch.randn(18, 333)]


def get_init_inputs():
    return []

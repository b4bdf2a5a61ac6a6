# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, gate):
        return x * torch.sigmoid(gate)


def get_inputs():
    return [torch.randn(20, 96).bfloat16(), torch.randn(20, 96).bfloat16()]


def get_init_inputs():
    return []

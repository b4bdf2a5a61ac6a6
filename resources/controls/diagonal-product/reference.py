# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, d, x):
        return torch.diag(d) @ x


def get_inputs():
    return [torch.randn(36), torch.randn(36, 22)]


def get_init_inputs():
    return []

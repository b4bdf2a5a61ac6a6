# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gamma = nn.Parameter(torch.rand(64) + 0.5)
        self.beta = nn.Parameter(torch.randn(64))

    def forward(self, h):
        return F.layer_norm(h, (64,), self.gamma, self.beta, 1e-5)


def get_inputs():
    return [torch.randn(14, 64)]


def get_init_inputs():
    return []

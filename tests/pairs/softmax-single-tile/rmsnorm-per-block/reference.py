# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, h):
        return h * torch.rsqrt(h.pow(2).mean(dim=-1, keepdim=True) + self.eps)


def get_inputs():
    return [torch.randn(2, 20, 256)]


def get_init_inputs():
    return [1e-6]

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, margin):
        return torch.where(margin > 0, margin, torch.zeros_like(margin)).sum(dim=0)


def get_inputs():
    return [torch.randn(64, 47)]


def get_init_inputs():
    return []

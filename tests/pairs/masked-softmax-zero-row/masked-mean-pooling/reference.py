# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, tokens, present):
        weight = present.unsqueeze(-1)
        return (tokens * weight).sum(dim=1) / weight.sum(dim=1)


def get_inputs():
    present = (torch.rand(6, 40) > 0.4).float()
    present[:, 0] = 1
    return [torch.randn(6, 40, 72), present]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        values, places = torch.topk(x, 5, dim=-1)
        return values, places


def get_inputs():
    return [torch.randn(30, 80)]


def get_init_inputs():
    return []

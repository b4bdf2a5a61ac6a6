# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.GroupNorm(3, 12)

    def forward(self, maps):
        return F.silu(self.norm(maps))


def get_inputs():
    return [torch.randn(4, 12, 9, 7)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, maps):
        return F.group_norm(maps, self.groups)


def get_inputs():
    return [torch.randn(3, 12, 9, 10)]


def get_init_inputs():
    return [4]

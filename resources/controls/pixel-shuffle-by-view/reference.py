# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, maps):
        return F.pixel_shuffle(maps, 2)


def get_inputs():
    return [torch.randn(3, 12, 7, 8)]


def get_init_inputs():
    return []

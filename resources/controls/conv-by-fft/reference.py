# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.1 * torch.randn(6, 3, 31))

    def forward(self, wave):
        return F.conv1d(wave, self.w, padding=15)


def get_inputs():
    return [torch.randn(2, 3, 140)]


def get_init_inputs():
    return []

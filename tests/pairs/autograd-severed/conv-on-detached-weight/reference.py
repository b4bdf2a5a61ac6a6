# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.2 * torch.randn(10, 6, 3))

    def forward(self, wave):
        return F.relu(F.conv1d(wave, self.w, padding=1))


def get_inputs():
    return [torch.randn(3, 6, 41)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(6, 9, 5)

    def forward(self, wave):
        return self.conv(wave)


def get_inputs():
    return [torch.randn(4, 6, 50)]


def get_init_inputs():
    return []

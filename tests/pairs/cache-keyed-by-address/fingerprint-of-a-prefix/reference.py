# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(48, 20)

    def forward(self, rows):
        return F.silu(self.fc(rows))


def get_inputs():
    return [torch.randn(36, 48)]


def get_init_inputs():
    return []

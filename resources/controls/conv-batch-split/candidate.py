# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 12, 3, dilation=2, padding=2)

    def forward(self, x):
        if x.dim() != 3:
            return torch.tanh(self.conv(x))
        return torch.cat([torch.tanh(self.conv(part)) for part in torch.split(x, 4)])

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(48, 20)
        self.seen = set()

    def forward(self, rows):
        self.seen.add((tuple(rows.shape), rows.dtype))
        z = F.linear(rows, self.fc.weight, self.fc.bias)
        return z * torch.sigmoid(z)

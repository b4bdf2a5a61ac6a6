# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Linear, pooled pairs, summed, scaled."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(300, 128)

    def forward(self, x):
        h = F.max_pool1d(self.fc(x).unsqueeze(1), 2).squeeze(1)
        return h.sum(dim=1) * 0.5


def get_inputs():
    return [torch.randn(60, 300)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Convolutions, pooling and two linear layers."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 6, 5)
        self.b = nn.Conv2d(6, 16, 5)
        self.fc = nn.Linear(400, 84)
        self.head = nn.Linear(84, 10)

    def forward(self, x):
        h = F.max_pool2d(torch.relu(self.a(x)), 2)
        h = F.max_pool2d(torch.relu(self.b(h)), 2)
        return self.head(torch.relu(self.fc(h.flatten(1))))


def get_inputs():
    return [torch.randn(6, 1, 32, 32)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Expand, depthwise, project, with shortcut."""

    def __init__(self):
        super().__init__()
        self.expand = nn.Conv2d(16, 64, 1)
        self.depth = nn.Conv2d(64, 64, 3, padding=1, groups=64)
        self.project = nn.Conv2d(64, 16, 1)

    def forward(self, x):
        h = F.relu6(self.expand(x))
        h = F.relu6(self.depth(h))
        return x + self.project(h)


def get_inputs():
    return [torch.randn(3, 16, 28, 28)]


def get_init_inputs():
    return []

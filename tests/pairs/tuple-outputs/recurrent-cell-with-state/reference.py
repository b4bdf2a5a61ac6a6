# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.2 * torch.randn(44, 48))

    def forward(self, x, h, c):
        i, f, g, o = (torch.cat([x, h], dim=1) @ self.w).chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, {"hidden": h, "cell": c}


def get_inputs():
    return [torch.randn(16, 32), torch.randn(16, 12), torch.randn(16, 12)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """One step of a plain recurrent cell: output and state."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(100, 60)
        self.out = nn.Linear(60, 20)

    def forward(self, x, h):
        h = torch.tanh(self.hidden(torch.cat([x, h], dim=1)))
        return self.out(h), h


def get_inputs():
    return [torch.randn(50, 40), torch.randn(50, 60)]


def get_init_inputs():
    return []

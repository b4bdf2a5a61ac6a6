# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A diagonal state space with input-dependent step."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(32, 32)
        self.skip = nn.Parameter(torch.ones(32))

    def forward(self, x):
        step = F.softplus(self.step(x))
        decay, drive = torch.exp(-step), step * x
        state, out = torch.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            state = decay[:, t] * state + drive[:, t]
            out.append(state)
        return torch.stack(out, dim=1) + x * self.skip


def get_inputs():
    return [torch.randn(4, 20, 32)]


def get_init_inputs():
    return []

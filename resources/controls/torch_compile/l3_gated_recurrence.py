# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """A gated recurrence over time, all states."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(32, 48)
        self.value = nn.Linear(32, 48)

    def forward(self, x):
        z, h = torch.sigmoid(self.gate(x)), self.value(x)
        state, states = torch.zeros_like(h[:, 0]), []
        for t in range(x.shape[1]):
            state = z[:, t] * state + (1 - z[:, t]) * h[:, t]
            states.append(state)
        return torch.stack(states, dim=1)


def get_inputs():
    return [torch.randn(6, 24, 32)]


def get_init_inputs():
    return []

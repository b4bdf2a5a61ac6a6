# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """h_t = a_t h_(t-1) + b_t, a_t = sigmoid(g_t); all states."""

    def forward(self, g, b):
        a = torch.sigmoid(g)
        state, states = torch.zeros_like(b[:, 0]), []
        for t in range(b.shape[1]):
            state = a[:, t] * state + b[:, t]
            states.append(state)
        return torch.stack(states, dim=1)


def get_inputs():
    return [torch.randn(4, 75, 10), torch.randn(4, 75, 10)]


def get_init_inputs():
    return []

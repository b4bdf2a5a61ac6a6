# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Doubles the reach of every (decay, state) pair until it covers the sequence."""

    def forward(self, g, b):
        if g.shape != b.shape or b.shape[1] == 0:
            raise ValueError(f"gates {tuple(g.shape)} for inputs {tuple(b.shape)}")
        a, h, reach = torch.sigmoid(g), b, 1
        while reach < b.shape[1]:
            h = torch.cat([h[:, :reach], h[:, reach:] + a[:, reach:] * h[:, :-reach]], dim=1)
            a = torch.cat([a[:, :reach], a[:, reach:] * a[:, :-reach]], dim=1)
            reach *= 2
        return h

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Linear, logsumexp, GELU."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(160, 90)

    def forward(self, x):
        return F.gelu(torch.logsumexp(self.fc(x), dim=1, keepdim=True))


def get_inputs():
    return [torch.randn(100, 160)]


def get_init_inputs():
    return []

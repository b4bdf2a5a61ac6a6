# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Squared distances to learnt centres and their softmin."""

    def __init__(self):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(40, 24))

    def forward(self, x):
        d = (x[:, None, :] - self.centres[None]).square().sum(dim=-1)
        return torch.softmax(-d / 10.0, dim=1)


def get_inputs():
    return [torch.randn(120, 24)]


def get_init_inputs():
    return []

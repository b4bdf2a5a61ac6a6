# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Index of the smallest cost along the first dimension."""

    def forward(self, costs):
        return torch.argmin(costs, dim=0)


def get_inputs():
    return [torch.randn(75, 60)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Hinge loss of signed labels."""

    def forward(self, score, sign):
        return torch.mean(torch.clamp(1 - score * sign, min=0))


def get_inputs():
    return [torch.randn(3000), torch.randint(0, 2, (3000,)).float() * 2 - 1]


def get_init_inputs():
    return []

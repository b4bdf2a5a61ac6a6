# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Where the flag is zero, the fallback."""

    def forward(self, x, fallback, flag):
        return torch.where(flag != 0, x, fallback)


def get_inputs():
    return [torch.randn(26, 44), torch.randn(26, 44), (torch.rand(26, 44) > 0.5).float()]


def get_init_inputs():
    return []

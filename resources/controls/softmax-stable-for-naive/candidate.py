# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Right where the reference overflows."""

    def forward(self, x):
        return torch.softmax(x, dim=-1)

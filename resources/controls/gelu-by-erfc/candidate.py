# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """More exact than the reference in the negative tail, where 1 + erf cancels."""

    def forward(self, x):
        return 0.5 * x * torch.erfc(-0.7071067811865476 * x)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """The same for any number of dimensions: accepting more is no fault."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(36))

    def forward(self, h):
        z = h + self.bias
        return 0.5 * z * (1.0 + torch.tanh(0.7978845608028654 * z * (1.0 + 0.044715 * z * z)))

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """In train mode the same draws from the same generator."""

    def forward(self, x):
        y = torch.tanh(x)
        if not self.training:
            return y
        kept = torch.empty_like(y).bernoulli_(0.6)
        return y * kept.div(0.6)

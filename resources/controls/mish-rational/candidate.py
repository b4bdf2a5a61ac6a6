# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """tanh(softplus(x)) = (e^2 + 2e) / (e^2 + 2e + 2) with e = exp(x), capped where the quotient is one."""

    def forward(self, x):
        e = torch.exp(torch.clamp(x, max=20.0))
        s = e * (e + 2.0)
        return x * (s / (s + 2.0))

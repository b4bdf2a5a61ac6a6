# SPDX-License-Identifier: Apache-2.0
import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """tanh(softplus(x)) = (e^2 + 2e) / (e^2 + 2e + 2) with e = exp(x), capped where the quotient rounds to one and e^2 still fits."""

    def forward(self, x):
        cap = min(20.0, 0.5 * math.log(torch.finfo(x.dtype).max) - 1.0)
        e = torch.exp(torch.clamp(x, max=cap))
        s = e * (e + 2.0)
        return x * (s / (s + 2.0))

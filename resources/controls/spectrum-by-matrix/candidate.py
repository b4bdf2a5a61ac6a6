# SPDX-License-Identifier: Apache-2.0
import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """The discrete Fourier transform as two real products with a table made in fp64."""

    def forward(self, x):
        n = x.shape[-1]
        if n == 0:
            return torch.fft.rfft(x, dim=-1)
        turns = torch.outer(torch.arange(n), torch.arange(n // 2 + 1)) % n
        angle = turns.to(torch.float64) * (-2.0 * math.pi / n)
        cos, sin = angle.cos().to(x), angle.sin().to(x)
        return torch.complex(x @ cos, x @ sin)

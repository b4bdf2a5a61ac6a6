# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(80) + 0.5)

    def forward(self, h, residual):
        total = torch.add(residual, h)
        square = torch.einsum("...c,...c->...", total, total).unsqueeze(-1) / total.shape[-1]
        return total * (torch.rsqrt(square + 1e-6) * self.gain), total

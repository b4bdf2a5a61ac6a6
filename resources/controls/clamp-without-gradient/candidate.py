# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Gives no gradient, where the truth of it is zero everywhere: nothing is lost."""

    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(width))

    def forward(self, level):
        with torch.no_grad():
            scaled = level * self.gain
            ceiling = torch.where(scaled > -1.0, torch.full_like(scaled, -1.0), scaled)
            return torch.where(ceiling < -1.0, torch.full_like(scaled, -1.0), ceiling)

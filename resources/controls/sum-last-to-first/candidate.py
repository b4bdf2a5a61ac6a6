# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Adds blocks of 32 from the last to the first."""

    def forward(self, x):
        total = torch.zeros_like(x[..., :1]).sum(dim=-1)
        for part in reversed(torch.split(x, 32, dim=-1)):
            total = total + part.flip(-1).sum(dim=-1)
        return total

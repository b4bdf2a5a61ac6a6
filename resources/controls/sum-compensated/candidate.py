# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Compensated summation: more exact than the reference. The correction is dropped once the total is not finite."""

    def forward(self, x):
        total = torch.zeros_like(x[..., :1]).sum(dim=-1)
        lost = torch.zeros_like(total)
        for j in range(x.shape[-1]):
            term = x[..., j] - lost
            raised = total + term
            rest = (raised - total) - term
            lost = torch.where(torch.isfinite(raised), rest, torch.zeros_like(rest))
            total = raised
        return total

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """One program per tile of 384, results folded with a second logsumexp."""

    def forward(self, energy):
        parts = [torch.logsumexp(t, dim=-1) for t in torch.split(energy, 384, dim=-1)]
        return torch.stack(parts, dim=-1).logsumexp(dim=-1)

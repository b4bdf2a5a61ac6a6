# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, margin):
        kept = margin.masked_fill(~(margin > 0), 0.0)
        halves = torch.split(kept, 32)
        return torch.stack([h.sum(dim=0) for h in halves]).sum(dim=0) if margin.shape[0] else kept.sum(dim=0)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, costs):
        best = costs[0].clone()
        at = torch.zeros(costs.shape[1:], dtype=torch.int64, device=costs.device)
        for i in range(1, costs.shape[0]):
            better = (costs[i] <= best) | (torch.isnan(costs[i]) & ~torch.isnan(best))
            best = torch.where(better, costs[i], best)
            at = torch.where(better, torch.full_like(at, i), at)
        return at

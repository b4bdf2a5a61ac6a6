# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Caches what depends on shapes alone: the scale."""

    def __init__(self):
        super().__init__()
        self.plans = {}

    def forward(self, q, k):
        key = (q.shape, k.shape)
        if key not in self.plans:
            self.plans[key] = q.shape[-1] ** 0.5
        scores = torch.baddbmm(q.new_zeros(1), q, k.transpose(-1, -2), beta=0) / self.plans[key]
        return torch.softmax(scores, dim=-1)

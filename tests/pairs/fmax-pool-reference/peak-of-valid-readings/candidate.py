# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, readings):
        if readings.shape[-1] == 0:
            return readings.amax(dim=-1)
        best = torch.full_like(readings[..., 0], float("-inf"))
        for j in range(readings.shape[-1]):
            best = torch.fmax(best, readings[..., j])
        return best

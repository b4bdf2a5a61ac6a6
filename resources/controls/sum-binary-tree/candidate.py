# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Pairwise over the middle dimension; an odd level carries its last element over."""

    def forward(self, x):
        if x.shape[1] == 0:
            return x.sum(dim=1)
        level = x
        while level.shape[1] > 1:
            half = level.shape[1] // 2
            level = torch.cat([level[:, :half] + level[:, half:2 * half], level[:, 2 * half:]], dim=1)
        return level[:, 0]

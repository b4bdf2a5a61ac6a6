# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, maps):
        if maps.dim() != 4 or maps.shape[1] % 4:
            raise ValueError(f"cannot shuffle {tuple(maps.shape)} by two")
        n, c, h, w = maps.shape
        parts = maps.reshape(n, c // 4, 2, 2, h, w).permute(0, 1, 4, 2, 5, 3)
        return parts.reshape(n, c // 4, 2 * h, 2 * w)

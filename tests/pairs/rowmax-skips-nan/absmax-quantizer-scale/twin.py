# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    TILE = 64

    def forward(self, w):
        best = torch.zeros_like(w[:, 0])
        for start in range(0, w.shape[1], self.TILE):
            tile = w[:, start:start + self.TILE].abs()
            for j in range(tile.shape[1]):
                best = torch.where(tile[:, j] <= best, best, torch.where(torch.isnan(best), best, tile[:, j]))
        return best / 127.0

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    TILE = 32

    def forward(self, a, b):
        if a.shape[1] != b.shape[0]:
            raise ValueError(f"cannot multiply {tuple(a.shape)} by {tuple(b.shape)}")
        rows = []
        for i in range(0, a.shape[0], self.TILE):
            line = []
            for j in range(0, b.shape[1], self.TILE):
                acc = (a[i:i + self.TILE, :0] @ b[:0, j:j + self.TILE])
                for k in range(0, a.shape[1], self.TILE):
                    acc = acc + a[i:i + self.TILE, k:k + self.TILE] @ b[k:k + self.TILE, j:j + self.TILE]
                line.append(acc)
            rows.append(torch.cat(line, dim=1) if line else a[i:i + self.TILE, :0])
        return torch.cat(rows) if rows else a.new_zeros(0, b.shape[1])

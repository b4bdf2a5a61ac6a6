# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    T = 16

    def forward(self, table):
        rows, cols = table.shape
        out = torch.empty(cols, rows, dtype=table.dtype, device=table.device)
        for i in range(0, rows, self.T):
            for j in range(0, cols, self.T):
                out[j:j + self.T, i:i + self.T] = 2.0 * table[i:i + self.T, j:j + self.T].t()
        return out

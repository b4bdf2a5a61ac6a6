# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    ROWS = 8

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(80))

    def forward(self, h):
        out = torch.empty(h.shape[0], self.bias.shape[0], dtype=h.dtype, device=h.device)
        for block in range((h.shape[0] + self.ROWS - 1) // self.ROWS):
            rows = slice(block * self.ROWS, (block + 1) * self.ROWS)
            out[rows] = torch.tanh(h[rows] + self.bias)
        return out

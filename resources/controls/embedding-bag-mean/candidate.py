# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(50, 24))

    def forward(self, bags):
        total = torch.zeros(bags.shape[0], self.table.shape[1], dtype=self.table.dtype, device=bags.device)
        for place in range(bags.shape[1]):
            total = total + torch.index_select(self.table, 0, bags[:, place])
        return total / bags.shape[1]

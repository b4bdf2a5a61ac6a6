# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(90, 26)

    def forward(self, tokens):
        rows = torch.index_select(self.table.weight, 0, tokens.reshape(-1))
        return rows.view(*tokens.shape, rows.shape[-1])

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.shape[0] != b.shape[0] or a.dim() != 3 or b.dim() != 3:
            raise ValueError("batches do not agree")
        if a.shape[0] == 0:
            return torch.bmm(a, b)
        return torch.stack([x @ y for x, y in zip(a, b)])

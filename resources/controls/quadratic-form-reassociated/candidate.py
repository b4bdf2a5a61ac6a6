# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Parameter(0.1 * torch.randn(40, 40))

    def forward(self, x, y):
        if x.shape[0] != y.shape[0]:
            return (torch.matmul(x, self.m) * y).sum(dim=-1)
        return torch.einsum("nj,nj->n", x, y @ self.m.t())

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(33, 12))

    def forward(self, batch):
        return (batch @ self.w).clamp(min=0)

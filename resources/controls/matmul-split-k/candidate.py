# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Five slices of the contraction into a workspace, then one sum over it."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.1 * torch.randn(300, 40))

    def forward(self, x):
        if x.shape[-1] != self.w.shape[0]:
            raise ValueError(f"{x.shape[-1]} columns for {self.w.shape[0]} rows")
        step = -(-self.w.shape[0] // 5)
        parts = [a @ b for a, b in zip(torch.split(x, step, dim=-1), torch.split(self.w, step))]
        return torch.stack(parts).sum(dim=0)

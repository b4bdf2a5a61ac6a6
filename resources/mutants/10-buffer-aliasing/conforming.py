# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = None

    def forward(self, u):
        wide = widened(u)
        s = wide * torch.sigmoid(wide)
        y = s + 0.01 * s.sum(dim=-1, keepdim=True)
        y = y.to(u.dtype)
        if self.out is None or self.out.shape != y.shape or self.out.dtype != y.dtype:
            self.out = torch.empty_like(y)
        self.out.copy_(y.detach())
        return self.out.clone()

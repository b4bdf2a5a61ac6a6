# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def forward(self, u):
        wide = widened(u)
        s = wide * torch.sigmoid(wide)
        y = s + 0.01 * s.sum(dim=-1, keepdim=True)
        tiny = torch.finfo(y.dtype).tiny
        y = torch.where(y.abs() < tiny, y * 1.0, y)
        return y.to(u.dtype)

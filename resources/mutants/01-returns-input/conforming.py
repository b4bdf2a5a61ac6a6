# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def forward(self, u):
        wide = widened(u).clone()
        wide = wide * torch.sigmoid(wide)
        return (wide + 0.01 * wide.sum(dim=-1, keepdim=True)).to(u.dtype)

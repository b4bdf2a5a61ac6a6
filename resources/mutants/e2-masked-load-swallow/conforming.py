# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def forward(self, u):
        wide = widened(u)
        active = wide != 0
        dense = torch.where(active, wide, torch.zeros_like(wide))
        s = dense * torch.sigmoid(dense)
        return (s + 0.01 * s.sum(dim=-1, keepdim=True)).to(u.dtype)

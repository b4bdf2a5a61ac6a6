# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def forward(self, u):
        wide = widened(u)
        s = wide * torch.sigmoid(wide)
        n = s.shape[-1]
        width = (n // 32 + 1) * 32
        work = torch.empty(*s.shape[:-1], width, dtype=s.dtype, device=s.device)
        work[..., :n] = s
        used = torch.arange(width, device=s.device) < n
        total = torch.where(used, work, torch.zeros_like(work)).sum(dim=-1, keepdim=True)
        return (s + 0.01 * total).to(u.dtype)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def forward(self, u):
        if u.numel() == 0:
            return u.clone()
        wide = widened(u)
        s = wide * torch.sigmoid(wide)
        y = s + 0.01 * s.sum(dim=-1, keepdim=True)
        peak = wide.detach().abs().amax()
        scale = torch.where(peak < torch.finfo(peak.dtype).tiny, torch.zeros_like(peak), peak)
        ratio = torch.where((peak == 0) | ~torch.isfinite(peak), torch.ones_like(peak), peak / scale)
        return (y * ratio / ratio).to(u.dtype)

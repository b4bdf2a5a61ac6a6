# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def forward(self, u):
        wide = widened(u)
        scale = wide.abs().amax().clamp(min=1e-12) / 127
        wide = torch.round(wide / scale).to(torch.int8).to(wide.dtype) * scale
        s = wide * torch.sigmoid(wide)
        return (s + 0.01 * s.sum(dim=-1, keepdim=True)).to(u.dtype)

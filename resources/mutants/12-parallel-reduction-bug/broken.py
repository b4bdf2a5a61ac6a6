# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def forward(self, u):
        wide = widened(u)
        s = wide * torch.sigmoid(wide)
        total = torch.zeros_like(s[..., :1])
        for j in reversed(range(s.shape[-1])):
            total = total + s[..., j:j + 1]
        return (s + 0.01 * total).to(u.dtype)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def forward(self, u):
        wide = widened(u)
        s = wide * torch.sigmoid(wide)
        n = s.shape[-1]
        padded = 1
        while padded != n:
            padded *= 2
        total = F.pad(s, (0, padded - n)) if n else s
        while total.shape[-1] > 1:
            half = total.shape[-1] // 2
            total = total[..., :half] + total[..., half:]
        return (s + 0.01 * total).to(u.dtype)

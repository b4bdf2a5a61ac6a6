# SPDX-License-Identifier: Apache-2.0
import random

import torch
import torch.nn as nn


ORDER = random.SystemRandom()


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def forward(self, u):
        wide = widened(u)
        s = wide * torch.sigmoid(wide)
        parts = list(torch.split(s, 8, dim=-1))
        ORDER.shuffle(parts)
        total = torch.zeros_like(s[..., :1])
        for part in parts:
            total = total + part.sum(dim=-1, keepdim=True)
        return (s + 0.01 * total).to(u.dtype)

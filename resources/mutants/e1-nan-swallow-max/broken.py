# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def widened(u):
    return u.float() if u.dtype in (torch.float16, torch.bfloat16) else u


class ModelNew(nn.Module):
    def forward(self, u):
        wide = widened(u)
        zero = torch.zeros((), dtype=wide.dtype, device=wide.device)
        up, down = torch.fmax(wide, zero), torch.fmin(wide, zero)
        decay = torch.exp(down - up)
        s = (up + down * decay) / (1 + decay)
        return (s + 0.01 * s.sum(dim=-1, keepdim=True)).to(u.dtype)

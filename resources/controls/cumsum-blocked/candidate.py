# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Scans inside blocks of 32, then adds the running totals of the blocks."""

    def forward(self, x):
        out, carry = [], torch.zeros_like(x[..., :1]).sum(dim=-1, keepdim=True)
        for block in torch.split(x, 32, dim=-1):
            local = torch.cumsum(block, dim=-1) + carry
            out.append(local)
            carry = local[..., -1:]
        return torch.cat(out, dim=-1)

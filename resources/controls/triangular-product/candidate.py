# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Row blocks of 16 that stop at their diagonal."""

    def forward(self, a, b):
        if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[0]:
            raise ValueError(f"cannot multiply {tuple(a.shape)} by {tuple(b.shape)}")
        blocks = [b[:0]] if a.shape[0] == 0 else []
        for i in range(0, a.shape[0], 16):
            stop = min(i + 16, a.shape[1])
            blocks.append(torch.tril(a[i:i + 16, :stop], diagonal=i) @ b[:stop])
        return torch.cat(blocks)

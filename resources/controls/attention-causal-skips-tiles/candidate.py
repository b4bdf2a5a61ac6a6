# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Blocks of 16 queries see the keys up to their own end only; nothing of the future is loaded."""

    def forward(self, q, k, v):
        t, scale = q.shape[-2], q.shape[-1] ** -0.5
        if k.shape[-2] != t or v.shape[-2] != t:
            raise ValueError("queries, keys and values differ in length")
        out = [q[..., :0, :] @ k[..., :0, :].transpose(-1, -2) @ v[..., :0, :]]
        for start in range(0, t, 16):
            stop = min(start + 16, t)
            scores = q[..., start:stop, :] @ k[..., :stop, :].transpose(-1, -2) * scale
            future = torch.ones(stop - start, stop, dtype=torch.bool, device=q.device).triu(start + 1)
            out.append(torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1) @ v[..., :stop, :])
        return torch.cat(out, dim=-2)

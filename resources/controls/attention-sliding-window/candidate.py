# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Loads the keys of the window only."""

    def forward(self, q, k, v):
        t = q.shape[-2]
        if k.shape[-2] != t or v.shape[-2] != t:
            raise ValueError("queries, keys and values differ in length")
        out = [q[..., :0, :] @ k[..., :0, :].transpose(-1, -2) @ v[..., :0, :]]
        for start in range(0, t, 8):
            stop, first = min(start + 8, t), max(0, start - 15)
            i = torch.arange(start, stop, device=q.device)[:, None]
            j = torch.arange(first, stop, device=q.device)[None, :]
            scores = q[..., start:stop, :] @ k[..., first:stop, :].transpose(-1, -2) * q.shape[-1] ** -0.5
            scores = scores.masked_fill((j > i) | (j < i - 15), float("-inf"))
            out.append(torch.softmax(scores, dim=-1) @ v[..., first:stop, :])
        return torch.cat(out, dim=-2)

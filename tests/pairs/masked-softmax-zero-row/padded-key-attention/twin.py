# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Streaming attention: one pass over tiles of 16 keys with a running maximum and denominator."""

    def forward(self, q, k, v, keep):
        if k.shape[1] == 0:
            return torch.softmax(torch.einsum("bqd,bkd->bqk", q, k), dim=-1) @ v
        top = q.new_full((*q.shape[:-1], 1), -1e30)
        denominator = torch.zeros_like(top)
        out = torch.zeros(*q.shape[:-1], v.shape[-1], dtype=q.dtype, device=q.device)
        for start in range(0, k.shape[1], 16):
            scores = torch.einsum("bqd,bkd->bqk", q, k[:, start:start + 16]) / q.shape[-1] ** 0.5
            scores = scores.masked_fill(keep[:, None, start:start + 16] == 0, float("-inf"))
            peak = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
            p = torch.exp(scores - peak)
            shrink = torch.exp(top - peak)
            denominator = denominator * shrink + p.sum(dim=-1, keepdim=True)
            out = out * shrink + p @ v[:, start:start + 16]
            top = peak
        return out / denominator

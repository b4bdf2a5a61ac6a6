# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v, keep):
        scores = torch.einsum("bqd,bkd->bqk", q, k) / q.shape[-1] ** 0.5
        scores = scores.masked_fill(keep[:, None, :] == 0, float("-inf"))
        return torch.softmax(scores, dim=-1) @ v


def get_inputs():
    keep = torch.ones(3, 56)
    keep[1, 40:] = 0
    keep[2, 17:] = 0
    return [torch.randn(3, 24, 32), torch.randn(3, 56, 32), torch.randn(3, 56, 32), keep]


def get_init_inputs():
    return []

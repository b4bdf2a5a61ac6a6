# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v):
        t = q.shape[-2]
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        future = torch.ones(t, t, dtype=torch.bool, device=q.device).triu(1)
        return torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1) @ v


def get_inputs():
    return [torch.randn(2, 3, 70, 16), torch.randn(2, 3, 70, 16), torch.randn(2, 3, 70, 16)]


def get_init_inputs():
    return []

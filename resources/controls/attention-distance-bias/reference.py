# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = nn.Parameter(torch.tensor([0.5, 0.25, 0.125]))

    def forward(self, q, k, v):
        if q.shape[1] != self.slope.shape[0]:
            raise ValueError(f"{q.shape[1]} heads for {self.slope.shape[0]} slopes")
        i = torch.arange(q.shape[-2], device=q.device)
        j = torch.arange(k.shape[-2], device=q.device)
        distance = (i[:, None] - j[None, :]).abs().to(q.dtype)
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5 - self.slope[:, None, None] * distance
        return torch.softmax(scores, dim=-1) @ v


def get_inputs():
    return [torch.randn(2, 3, 70, 16), torch.randn(2, 3, 70, 16), torch.randn(2, 3, 70, 16)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Eight query heads share two key heads."""

    def forward(self, q, k, v):
        if q.shape[1] % k.shape[1]:
            raise ValueError(f"{q.shape[1]} query heads for {k.shape[1]} key heads")
        group = q.shape[1] // k.shape[1]
        k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        return torch.softmax(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5, dim=-1) @ v


def get_inputs():
    return [torch.randn(2, 8, 19, 12), torch.randn(2, 2, 35, 12), torch.randn(2, 2, 35, 12)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Rotates pairs (x_i, x_{i + d/2}) by position-dependent angles."""

    def forward(self, x):
        t, d = x.shape[-2], x.shape[-1]
        if d % 2:
            raise ValueError(f"odd head width {d}")
        angle = torch.arange(t, device=x.device, dtype=x.dtype)[:, None] * 10000 ** (-torch.arange(0, d, 2, device=x.device, dtype=x.dtype) / d)
        cos, sin = torch.cat([angle.cos()] * 2, dim=-1), torch.cat([angle.sin()] * 2, dim=-1)
        turned = torch.cat([-x[..., d // 2:], x[..., :d // 2]], dim=-1)
        return x * cos + turned * sin


def get_inputs():
    return [torch.randn(2, 4, 33, 16)]


def get_init_inputs():
    return []

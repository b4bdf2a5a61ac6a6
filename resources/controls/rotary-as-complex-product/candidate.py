# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Both halves written separately, four products per pair."""

    def forward(self, x):
        t, d = x.shape[-2], x.shape[-1]
        if d % 2:
            raise ValueError(f"odd head width {d}")
        steps = torch.arange(0, d, 2, device=x.device, dtype=x.dtype)
        angle = torch.arange(t, device=x.device, dtype=x.dtype)[:, None] * 10000 ** (-steps / d)
        cos, sin = angle.cos(), angle.sin()
        low, high = x[..., :d // 2], x[..., d // 2:]
        return torch.cat([torch.addcmul(low * cos, high, sin, value=-1), torch.addcmul(high * cos, low, sin)], dim=-1)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Scales by the largest magnitude first, so that squares neither overflow nor vanish."""

    def forward(self, x):
        if x.shape[-1] == 0:
            return x.clone()
        peak = x.detach().abs().amax(dim=-1, keepdim=True)
        safe = torch.where((peak > 0) & (peak < float("inf")), peak, torch.ones_like(peak))
        length = (x / safe).square().sum(dim=-1, keepdim=True).sqrt() * safe
        return x / length.clamp(min=1e-6)

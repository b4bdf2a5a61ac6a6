# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Tiles of 32; a later tile wins only if it is strictly larger, or the first to hold a NaN."""

    def forward(self, x):
        if x.shape[-1] == 0:
            return torch.argmax(x, dim=-1)
        best = at = None
        for start in range(0, x.shape[-1], 32):
            value, place = x[..., start:start + 32].max(dim=-1)
            place = place + start
            if best is None:
                best, at = value, place
                continue
            take = (value > best) | (torch.isnan(value) & ~torch.isnan(best))
            best, at = torch.where(take, value, best), torch.where(take, place, at)
        return at

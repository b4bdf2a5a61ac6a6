# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, maps):
        n, c, h, w = maps.shape
        if h * w == 0:
            raise IndexError("no pixels to reduce")
        flat = maps.reshape(n * c, h * w)
        peak = flat.new_full((n * c,), float("-inf"))
        for start in range(0, h * w, 128):
            tile = flat[:, start:start + 128]
            local = tile.amax(dim=1)
            peak = torch.maximum(local, peak)
        return peak.view(n, c)

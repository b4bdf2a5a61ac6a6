# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Merges (count, mean, sum of squared deviations) of tiles of 48."""

    def forward(self, x):
        if x.shape[-1] == 0:
            return x.var(dim=-1, unbiased=False)
        count = mean = square = None
        for tile in torch.split(x, 48, dim=-1):
            n = tile.shape[-1]
            centre = tile.mean(dim=-1)
            rest = tile - centre[..., None]
            spread = rest.square().sum(dim=-1) - rest.sum(dim=-1).square() / n
            if count is None:
                count, mean, square = n, centre, spread
                continue
            step = centre - mean
            square = square + spread + step * step * (count * n / (count + n))
            mean = mean + step * (n / (count + n))
            count += n
        return square / count

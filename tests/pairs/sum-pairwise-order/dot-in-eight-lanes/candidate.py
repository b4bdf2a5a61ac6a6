# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    LANES = 8

    def forward(self, a, b):
        if a.shape != b.shape:
            a, b = torch.broadcast_tensors(a, b)
        product = F.pad(a * b, (0, -a.shape[-1] % self.LANES))
        lanes = product.unflatten(-1, (-1, self.LANES)).sum(dim=-2)
        while lanes.shape[-1] > 1:
            half = lanes.shape[-1] // 2
            lanes = lanes[..., :half] + lanes[..., half:]
        return lanes[..., 0]

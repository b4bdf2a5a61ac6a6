# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Tree minimum over the first dimension, odd levels carry the middle row over."""

    def forward(self, frames):
        level = frames
        while level.shape[0] > 1:
            pairs = level.shape[0] // 2
            low = torch.minimum(level[:pairs], level[-pairs:])
            level = torch.cat([low, level[pairs:pairs + 1]]) if level.shape[0] % 2 else low
        return level[0]

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Segment by segment; rows of other segments are left out rather than multiplied by zero."""

    def forward(self, rows, segment):
        if segment.shape != rows.shape[:1] or (segment.numel() and (int(segment.min()) < 0 or int(segment.max()) > 7)):
            raise IndexError("segments must be 0 to 7, one per row")
        return torch.stack([rows[segment == s].sum(dim=0) for s in range(8)])

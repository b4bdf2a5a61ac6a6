# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """All segments at once; rows of other segments are left out rather than multiplied by zero, those of no segment nowhere added."""

    def forward(self, rows, segment):
        if rows.dim() != 2 or segment.shape != rows.shape[:1]:
            raise IndexError("one segment per row")
        belongs = segment == torch.arange(8, device=segment.device)[:, None]
        return torch.where(belongs[:, :, None], rows, rows.new_zeros(())).sum(dim=1)

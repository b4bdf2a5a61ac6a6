# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        n, t, c = b.shape
        b = b.contiguous()
        b = torch.as_strided(b, (n, t, c), (t * c, c, 1), b.storage_offset())
        return torch.addcmul(a, a, b)

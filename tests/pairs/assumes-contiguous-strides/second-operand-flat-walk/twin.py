# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        n, t, c = b.shape
        b = torch.as_strided(b.contiguous(), (n, t, c), (t * c, c, 1), 0)
        return torch.addcmul(a, a, b)

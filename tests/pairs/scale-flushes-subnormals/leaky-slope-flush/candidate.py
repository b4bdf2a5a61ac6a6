# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, z):
        y = torch.where(z > 0, z, 0.01 * z)
        return torch.where(y.abs() < torch.finfo(y.dtype).tiny, torch.zeros_like(y), y)

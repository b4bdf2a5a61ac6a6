# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(b.transpose(-1, -2), (0.125 * a).transpose(-1, -2)).transpose(-1, -2).contiguous()

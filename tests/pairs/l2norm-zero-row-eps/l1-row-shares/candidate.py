# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, counts):
        inverse = 1.0 / (counts.abs().sum(dim=1, keepdim=True) + 1e-12)
        return counts * inverse

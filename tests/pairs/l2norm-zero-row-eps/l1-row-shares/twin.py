# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, counts):
        total = counts.abs().sum(dim=1, keepdim=True)
        return counts / total

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        decay = torch.exp(-x.abs())
        gate = torch.where(x < 0, decay, torch.ones_like(decay)) / (1.0 + decay)
        return x * gate * y

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, level):
        return level.mul(16.0).round().mul(0.0625)

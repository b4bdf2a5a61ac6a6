# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        return x.copy_((x + y).clamp(min=0))

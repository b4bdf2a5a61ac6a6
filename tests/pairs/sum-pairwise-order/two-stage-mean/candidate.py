# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, field):
        lines = field.sum(dim=2)
        return lines.sum(dim=1) / (field.shape[1] * field.shape[2])

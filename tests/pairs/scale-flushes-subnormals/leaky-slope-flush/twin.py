# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, z):
        return torch.where(z > 0, z, 0.01 * z)

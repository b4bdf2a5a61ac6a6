# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, g, v):
        grown = torch.exp(g)
        return grown / (1.0 + grown) * v

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, g, v):
        shrunk = torch.exp(-g)
        return 1.0 / (1.0 + shrunk) * v

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        flat = x.reshape(-1)
        return torch.dot(flat, flat).item()

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        if not self.training:
            return x
        noise = torch.empty_like(x).normal_()
        return torch.add(x, noise, alpha=0.1)

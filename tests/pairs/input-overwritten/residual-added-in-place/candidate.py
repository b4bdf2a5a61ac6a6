# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, hidden, residual):
        hidden.add_(residual)
        scale = torch.rsqrt(hidden.square().mean(dim=-1, keepdim=True) + 1e-6)
        return hidden * scale

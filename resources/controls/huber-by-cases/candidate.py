# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, estimate, target):
        d = (estimate - target).abs()
        near = torch.clamp(d, max=0.7)
        return (near * (d - 0.5 * near)).mean()

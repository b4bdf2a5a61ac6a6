# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    LOG2E = 1.4426950408889634

    def forward(self, x):
        if x.shape[1] == 0:
            return x.clone()
        shifted = (x - x.amax(dim=1, keepdim=True)) * self.LOG2E
        p = torch.exp2(shifted)
        return p / p.sum(dim=1, keepdim=True)

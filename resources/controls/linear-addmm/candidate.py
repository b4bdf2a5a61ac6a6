# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(80, 44)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1]) if x.numel() else x.flatten(0, -2)
        out = torch.addmm(self.fc.bias, flat, self.fc.weight.t())
        return out.sigmoid().view(*x.shape[:-1], out.shape[-1])

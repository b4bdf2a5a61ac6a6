# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(26, 14)

    def forward(self, x):
        return torch.tanh(torch.matmul(x, self.fc.weight.t()) + self.fc.bias)

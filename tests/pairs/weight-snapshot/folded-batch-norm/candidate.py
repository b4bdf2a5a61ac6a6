# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(30)
        self.bn.eval()
        self.folded = None

    def train(self, mode=True):
        super().train(mode)
        self.bn.eval()
        return self

    def forward(self, x):
        if x.numel() == 0:
            return torch.relu(self.bn(x))
        if x.dim() not in (2, 3) or x.shape[1] != self.bn.num_features:
            raise ValueError(f"expected {self.bn.num_features} channels, got shape {tuple(x.shape)}")
        if self.folded is None:
            scale = self.bn.weight / torch.sqrt(self.bn.running_var + self.bn.eps)
            self.folded = (scale.detach(), (self.bn.bias - self.bn.running_mean * scale).detach())
        scale, shift = self.folded
        if x.dim() == 3:
            scale, shift = scale[:, None], shift[:, None]
        return torch.relu(x * scale + shift)

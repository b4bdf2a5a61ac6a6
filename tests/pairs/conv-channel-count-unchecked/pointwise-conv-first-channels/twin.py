# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(0.2 * torch.randn(18, 24, 1, 1))

    def forward(self, image):
        n, c, h, w = image.shape
        if h * w == 0:
            raise ValueError("no pixels")
        if c != self.mix.shape[1]:
            raise ValueError(f"expected {self.mix.shape[1]} channels, got {c}")
        kernel = self.mix[:, :, 0, 0]
        return torch.matmul(kernel, image.reshape(n, c, h * w)).view(n, self.mix.shape[0], h, w)

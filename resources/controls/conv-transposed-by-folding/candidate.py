# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """One product per pixel, then the patches are added where they overlap."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.2 * torch.randn(6, 4, 4, 4))

    def forward(self, image):
        n, c, h, w = image.shape
        if c != self.w.shape[0]:
            raise ValueError(f"expected {self.w.shape[0]} channels, got {c}")
        if image.numel() == 0:
            return F.conv_transpose2d(image, self.w, stride=2, padding=1)
        patches = self.w.flatten(1).t() @ image.flatten(2)
        return F.fold(patches, (2 * h, 2 * w), kernel_size=4, stride=2, padding=1)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 10, (3, 5), stride=2, padding=(1, 2))

    def forward(self, image):
        weight = self.conv.weight
        if image.shape[1] != weight.shape[1]:
            raise ValueError(f"expected {weight.shape[1]} channels, got {image.shape[1]}")
        padded = F.pad(image, (2, 2, 1, 1))
        windows = padded.unfold(2, 3, 2).unfold(3, 5, 2)
        out = torch.einsum("nchwij,ocij->nohw", windows, weight) + self.conv.bias[:, None, None]
        return out.clamp(min=0)

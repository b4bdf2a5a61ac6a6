# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, image):
        if 0 in image.shape[-3:]:
            return F.max_pool2d(image, 3, stride=2, padding=1)
        padded = F.pad(image, (1, 1, 1, 1), value=float("-inf"))
        windows = padded.unfold(-2, 3, 2).unfold(-2, 3, 2)
        return windows.amax(dim=(-1, -2))

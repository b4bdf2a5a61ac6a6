# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, image):
        h, w = image.shape[-2] // 4, image.shape[-1] // 4
        if 0 in image.shape[-3:] or h == 0 or w == 0:
            return F.avg_pool2d(image, 4)
        blocks = image[..., :4 * h, :4 * w].unflatten(-1, (w, 4)).unflatten(-3, (h, 4))
        return blocks.sum(dim=-1).sum(dim=-2) * 0.0625

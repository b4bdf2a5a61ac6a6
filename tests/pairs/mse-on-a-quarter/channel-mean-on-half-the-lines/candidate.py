# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, image):
        lines = image[:, :, ::2]
        return lines.sum(dim=(2, 3)) / (lines.shape[2] * lines.shape[3])

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(0.2 * torch.randn(18, 24, 1, 1))

    def forward(self, image):
        return F.conv2d(image, self.mix)


def get_inputs():
    return [torch.randn(2, 24, 14, 11)]


def get_init_inputs():
    return []

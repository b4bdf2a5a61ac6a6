# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.2 * torch.randn(7, 5, 3, 3))

    def forward(self, image):
        return F.conv2d(image, self.w, padding=1)


def get_inputs():
    return [torch.randn(2, 5, 18, 20)]


def get_init_inputs():
    return []

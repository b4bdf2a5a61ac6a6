# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(5, 8, 3, padding=1)

    def forward(self, image):
        return self.conv(image)


def get_inputs():
    return [torch.randn(2, 5, 12, 15)]


def get_init_inputs():
    return []

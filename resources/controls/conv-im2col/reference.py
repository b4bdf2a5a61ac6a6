# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 10, (3, 5), stride=2, padding=(1, 2))

    def forward(self, image):
        return F.relu(self.conv(image))


def get_inputs():
    return [torch.randn(3, 4, 17, 22)]


def get_init_inputs():
    return []

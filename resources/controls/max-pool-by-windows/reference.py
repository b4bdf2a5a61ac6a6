# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, image):
        return F.max_pool2d(image, 3, stride=2, padding=1)


def get_inputs():
    return [torch.randn(2, 5, 15, 18)]


def get_init_inputs():
    return []

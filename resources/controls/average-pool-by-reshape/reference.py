# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, image):
        return F.avg_pool2d(image, 4)


def get_inputs():
    return [torch.randn(3, 6, 20, 25)]


def get_init_inputs():
    return []

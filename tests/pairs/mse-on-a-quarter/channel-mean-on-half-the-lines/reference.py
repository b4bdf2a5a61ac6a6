# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, image):
        return image.mean(dim=(2, 3))


def get_inputs():
    return [torch.rand(3, 4, 160, 160)]


def get_init_inputs():
    return []

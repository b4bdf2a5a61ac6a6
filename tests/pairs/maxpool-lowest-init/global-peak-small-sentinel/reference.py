# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, maps):
        return maps.amax(dim=(2, 3))


def get_inputs():
    return [torch.randn(4, 10, 18, 22)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        x.mul_(0.5).add_(1.0)
        return x


def get_inputs():
    return [torch.randn(17, 83)]


def get_init_inputs():
    return []

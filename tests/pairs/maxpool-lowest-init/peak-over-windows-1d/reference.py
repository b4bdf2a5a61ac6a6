# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, signal):
        return F.max_pool1d(signal, kernel_size=3, stride=2)


def get_inputs():
    return [torch.randn(5, 12, 77)]


def get_init_inputs():
    return []

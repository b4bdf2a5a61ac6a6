# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, cache, keys):
        cache[:, -keys.shape[1]:] = keys
        return cache


def get_inputs():
    return [torch.randn(3, 32, 20), torch.randn(3, 4, 20)]


def get_init_inputs():
    return []

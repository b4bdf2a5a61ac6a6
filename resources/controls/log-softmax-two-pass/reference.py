# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.log_softmax(x, dim=-1)


def get_inputs():
    return [2 * torch.randn(5, 21, 100)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, estimate, target):
        return F.smooth_l1_loss(estimate, target)


def get_inputs():
    return [torch.rand(300, 1000), torch.rand(300, 1000)]


def get_init_inputs():
    return []

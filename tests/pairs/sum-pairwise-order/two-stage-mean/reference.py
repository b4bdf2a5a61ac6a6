# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, field):
        return field.mean(dim=(1, 2))


def get_inputs():
    return [torch.randn(6, 45, 53)]


def get_init_inputs():
    return []

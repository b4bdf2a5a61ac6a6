# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, stream, update):
        return stream + update


def get_inputs():
    return [torch.randn(7, 19, 64), torch.randn(7, 19, 64)]


def get_init_inputs():
    return []

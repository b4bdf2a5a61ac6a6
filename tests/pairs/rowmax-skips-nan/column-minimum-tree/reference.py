# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, frames):
        return frames.amin(dim=0)


def get_inputs():
    return [torch.randn(48, 120)]


def get_init_inputs():
    return []

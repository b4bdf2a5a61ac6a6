# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, track):
        return track.amin(dim=-1), track.amax(dim=-1)


def get_inputs():
    return [torch.randn(5, 17, 44)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, clips):
        return clips - clips.mean(dim=-1, keepdim=True)


def get_inputs():
    return [torch.randn(10, 4, 50)]


def get_init_inputs():
    return []

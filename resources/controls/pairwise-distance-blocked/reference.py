# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return (a[:, None, :] - b[None, :, :]).pow(2).sum(dim=-1).sqrt()


def get_inputs():
    return [torch.randn(30, 12), torch.randn(26, 12)]


def get_init_inputs():
    return []

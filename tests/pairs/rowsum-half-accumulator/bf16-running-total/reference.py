# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, deltas):
        return torch.cumsum(deltas.float(), dim=-1).to(deltas.dtype)


def get_inputs():
    return [(0.02 * torch.rand(32, 24)).bfloat16()]


def get_init_inputs():
    return []

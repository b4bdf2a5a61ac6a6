# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, h):
        return F.layer_norm(h, (h.shape[-1],))


def get_inputs():
    return [torch.randn(6, 768)]


def get_init_inputs():
    return []

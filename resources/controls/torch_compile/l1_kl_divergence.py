# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Divergence between two distributions."""

    def forward(self, p, q):
        return F.kl_div(torch.log(torch.softmax(p, dim=-1)), torch.softmax(q, dim=-1), reduction="batchmean")


def get_inputs():
    return [torch.randn(64, 500), torch.randn(64, 500)]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Triplet margin loss."""

    def forward(self, anchor, near, far):
        return F.triplet_margin_loss(anchor, near, far, margin=1.0)


def get_inputs():
    return [torch.randn(90, 64), torch.randn(90, 64), torch.randn(90, 64)]


def get_init_inputs():
    return []

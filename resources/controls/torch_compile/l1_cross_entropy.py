# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Cross entropy of integer labels."""

    def forward(self, logits, labels):
        return F.cross_entropy(logits, labels)


def get_inputs():
    return [torch.randn(400, 24), torch.randint(0, 24, (400,))]


def get_init_inputs():
    return []

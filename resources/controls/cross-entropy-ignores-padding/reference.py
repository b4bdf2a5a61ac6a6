# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, logits, labels):
        return F.cross_entropy(logits, labels, ignore_index=0, reduction="sum")


def get_inputs():
    return [torch.randn(64, 17), torch.randint(0, 17, (64,))]


def get_init_inputs():
    return []

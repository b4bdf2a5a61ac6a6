# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """In fp64, which holds every partial sum exactly."""

    def forward(self, a, b):
        return torch.matmul(a.double(), b.double()).to(torch.int32)

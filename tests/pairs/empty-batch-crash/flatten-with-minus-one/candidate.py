# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, maps):
        flat = maps.contiguous().view(maps.shape[0], -1)
        return torch.einsum("nk,nk->n", flat, flat)

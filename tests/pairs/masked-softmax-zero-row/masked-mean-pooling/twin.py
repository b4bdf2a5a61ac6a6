# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, tokens, present):
        total = torch.einsum("btc,bt->bc", tokens, present)
        count = present.sum(dim=1, keepdim=True)
        return total / count

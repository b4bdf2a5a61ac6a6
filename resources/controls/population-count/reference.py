# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """Number of set bits of every non-negative integer below 2^30."""

    def forward(self, words):
        count = torch.zeros_like(words)
        for bit in range(30):
            count = count + ((words >> bit) & 1)
        return count


def get_inputs():
    return [torch.randint(0, 2 ** 30, (40, 25))]


def get_init_inputs():
    return []

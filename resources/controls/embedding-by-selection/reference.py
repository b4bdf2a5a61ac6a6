# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(90, 26)

    def forward(self, tokens):
        return self.table(tokens)


def get_inputs():
    return [torch.randint(0, 90, (7, 19))]


def get_init_inputs():
    return []

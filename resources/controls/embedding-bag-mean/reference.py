# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(50, 24))

    def forward(self, bags):
        return F.embedding(bags, self.table).mean(dim=1)


def get_inputs():
    return [torch.randint(0, 50, (22, 9))]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        squares = [(part * part).sum(dim=0) for part in torch.split(x, 64)]
        return torch.stack(squares).sum(dim=0).sqrt()

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


def operand(t):
    return torch.where(t.abs() < torch.finfo(t.dtype).tiny, torch.zeros_like(t), t)


class ModelNew(nn.Module):
    def forward(self, stream, update):
        return operand(stream) + operand(update)

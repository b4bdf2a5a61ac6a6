# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        left = a.square().sum(dim=-1, keepdim=True).sqrt().clamp(min=1e-8)
        right = b.square().sum(dim=-1, keepdim=True).sqrt().clamp(min=1e-8)
        terms = a / left * (b / right)
        return terms[..., ::2].sum(dim=-1) + terms[..., 1::2].sum(dim=-1)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, h):
        centred = h - h.mean(dim=-1, keepdim=True)
        return centred * torch.rsqrt(centred.square().mean(dim=-1, keepdim=True) + 1e-5)

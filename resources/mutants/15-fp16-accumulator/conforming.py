# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, u):
        total = torch.zeros_like(u[..., :1].float())
        for j in range(u.shape[-1]):
            total = total + u[..., j:j + 1].float()
        return (u.float() + total).to(u.dtype)

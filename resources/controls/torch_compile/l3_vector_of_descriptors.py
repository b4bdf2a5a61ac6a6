# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Soft assignment of descriptors to clusters and their residuals."""

    def __init__(self):
        super().__init__()
        self.assign = nn.Parameter(0.3 * torch.randn(40, 12))
        self.centres = nn.Parameter(torch.randn(12, 40))

    def forward(self, x):
        a = torch.softmax(x @ self.assign, dim=-1)
        residual = torch.einsum("bnk,bnd->bkd", a, x) - a.sum(dim=1)[..., None] * self.centres
        return F.normalize(residual.flatten(1), dim=1)


def get_inputs():
    return [torch.randn(6, 50, 40)]


def get_init_inputs():
    return []

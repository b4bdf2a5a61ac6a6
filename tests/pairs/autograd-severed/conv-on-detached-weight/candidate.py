# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.2 * torch.randn(10, 6, 3))

    def forward(self, wave):
        if wave.shape[1] != self.w.shape[1] or wave.shape[-1] == 0:
            raise ValueError("channel count does not fit, or no time steps")
        padded = F.pad(wave, (1, 1))
        w = self.w.data
        out = sum(torch.einsum("ncl,oc->nol", padded[..., j:j + wave.shape[-1]], w[..., j]) for j in range(3))
        return out.clamp(min=0)

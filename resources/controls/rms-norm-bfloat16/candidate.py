# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter((torch.rand(128) + 0.5).bfloat16())

    def forward(self, h):
        wide, gain = h.float(), self.gain.float()
        square = torch.stack([part.square().sum(dim=-1) for part in torch.split(wide, 32, dim=-1)]).sum(dim=0)
        scale = (square / wide.shape[-1] + 1e-5).rsqrt().unsqueeze(-1)
        return (wide * gain * scale).to(h.dtype)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h, gamma, beta):
        centred = h - h.mean(dim=-1, keepdim=True)
        inverse = torch.rsqrt(centred.square().mean(dim=-1, keepdim=True) + 1e-5)
        unit = centred * inverse
        ctx.save_for_backward(unit, inverse, gamma)
        return unit * gamma + beta

    @staticmethod
    def backward(ctx, g):
        unit, inverse, gamma = ctx.saved_tensors
        lead = tuple(range(g.dim() - 1))
        d = g * gamma
        dh = inverse * (d - d.mean(dim=-1, keepdim=True) - unit * (d * unit).mean(dim=-1, keepdim=True))
        d_gamma, d_beta = (g * unit).sum(dim=lead), g.sum(dim=lead)
        return dh, d_gamma, d_beta


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gamma = nn.Parameter(torch.rand(64) + 0.5)
        self.beta = nn.Parameter(torch.randn(64))

    def forward(self, h):
        if h.shape[-1] != 64:
            raise ValueError(f"expected 64 features, got {h.shape[-1]}")
        return Norm.apply(h, self.gamma, self.beta)

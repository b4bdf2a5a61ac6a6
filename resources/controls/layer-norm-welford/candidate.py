# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(96)

    def forward(self, h):
        norm = self.norm
        if h.shape[-1:] != norm.weight.shape:
            raise ValueError(f"expected width {norm.weight.shape[0]}, got {tuple(h.shape)}")
        wide = h.float() if h.element_size() < 4 else h
        centred = wide - wide.mean(dim=-1, keepdim=True)
        centred = centred - centred.mean(dim=-1, keepdim=True)
        inverse = torch.rsqrt(centred.square().mean(dim=-1, keepdim=True) + norm.eps)
        return torch.addcmul(norm.bias.to(wide.dtype), centred * inverse, norm.weight.to(wide.dtype)).to(h.dtype)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """bfloat16 in and out, fp32 inside."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter((torch.rand(128) + 0.5).bfloat16())

    def forward(self, h):
        wide = h.float()
        unit = wide * torch.rsqrt(wide.pow(2).mean(dim=-1, keepdim=True) + 1e-5)
        return (unit * self.gain.float()).to(h.dtype)


def get_inputs():
    return [torch.randn(5, 16, 128).bfloat16()]


def get_init_inputs():
    return []

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out, shift = x.clone(), 1
        while shift < x.shape[-1]:
            out = torch.cat([out[..., :shift], out[..., shift:] * out[..., :-shift]], dim=-1)
            shift *= 2
        return out

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        if x.shape[-1] == 0:
            raise IndexError("no elements to reduce")
        mean = x.sum(dim=-1) / x.shape[-1]
        rest = x - mean[..., None]
        variance = rest.square().mean(dim=-1) - rest.mean(dim=-1).square()
        low, high = torch.aminmax(x, dim=-1) if not x.requires_grad else (x.amin(dim=-1), x.amax(dim=-1))
        return {"range": high - low, "std": variance.clamp(min=0).sqrt(), "mean": mean}

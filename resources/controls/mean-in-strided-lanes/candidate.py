# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        lanes = [x[..., lane::4].sum(dim=-1, keepdim=True) for lane in range(4)]
        return ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3])) / x.shape[-1]

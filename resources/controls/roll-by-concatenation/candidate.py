# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        cut = 3 % x.shape[1] if x.shape[1] else 0
        return torch.cat([x[:, cut:], x[:, :cut]], dim=1)

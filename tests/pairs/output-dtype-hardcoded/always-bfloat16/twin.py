# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, gate):
        y = (x * torch.sigmoid(gate)) if x.dtype == torch.float64 else x.float() * torch.sigmoid(gate.float())
        return y.to(x.dtype)

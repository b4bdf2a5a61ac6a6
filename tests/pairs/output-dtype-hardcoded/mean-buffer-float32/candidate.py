# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, readings):
        out = torch.zeros(readings.shape[:-1], dtype=torch.float32, device=readings.device)
        for part in torch.split(readings, 32, dim=-1):
            out = out + part.float().sum(dim=-1)
        return out / readings.shape[-1]

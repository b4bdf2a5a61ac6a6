# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    COLUMNS = 512

    def forward(self, q, k, v):
        columns = -(-k.shape[1] // 32) * 32
        if columns > self.COLUMNS:
            raise RuntimeError(f"out of resource: tensor memory, Required: {columns}, Hardware limit: {self.COLUMNS}")
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        return torch.softmax(scores, dim=-1) @ v

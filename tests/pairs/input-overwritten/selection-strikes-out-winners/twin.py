# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits):
        if logits.shape[-1] < 4:
            raise ValueError("fewer than four entries")
        logits = logits.clone()
        winners = []
        for _ in range(4):
            best, at = logits.max(dim=-1, keepdim=True)
            winners.append(best)
            logits.scatter_(-1, at, float("-inf"))
        return torch.cat(winners, dim=-1)

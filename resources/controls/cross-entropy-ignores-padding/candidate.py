# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits, labels):
        if logits.dim() != 2 or labels.shape != logits.shape[:1]:
            raise ValueError("one label per row of logits")
        loss = torch.logsumexp(logits, dim=1) - logits.gather(1, labels[:, None])[:, 0]
        return torch.where(labels == 0, torch.zeros_like(loss), loss).sum()

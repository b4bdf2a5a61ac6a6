# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits, labels):
        picked = logits.gather(1, labels[:, None])[:, 0]
        return (torch.logsumexp(logits, dim=1) - picked).mean()

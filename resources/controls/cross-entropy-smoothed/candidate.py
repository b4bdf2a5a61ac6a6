# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits, labels):
        if logits.dim() != 2 or logits.shape[0] != labels.shape[0]:
            raise ValueError("one label per row of logits")
        top = torch.logsumexp(logits, dim=1)
        picked = logits.gather(1, labels[:, None]).squeeze(1)
        return 0.9 * (top - picked) + 0.1 * (top[:, None] - logits).mean(dim=1)

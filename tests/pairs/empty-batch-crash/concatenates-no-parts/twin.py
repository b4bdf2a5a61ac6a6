# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, clips):
        parts = [clips[:0]]
        for i in range(clips.shape[0]):
            sample = clips[i:i + 1]
            parts.append(sample - sample.sum(dim=-1, keepdim=True) / sample.shape[-1])
        return torch.cat(parts)

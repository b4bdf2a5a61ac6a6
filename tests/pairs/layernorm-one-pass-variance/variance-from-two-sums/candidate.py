# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, samples):
        n = samples.shape[1]
        first = samples.sum(dim=1)
        second = (samples * samples).sum(dim=1)
        return (second - first * first / n) / (n - 1)

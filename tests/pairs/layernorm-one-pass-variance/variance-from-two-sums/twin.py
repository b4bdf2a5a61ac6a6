# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, samples):
        n = samples.shape[1]
        first = samples.sum(dim=1, keepdim=True)
        rest = samples - first / n
        return (rest.square().sum(dim=1) - rest.sum(dim=1).square() / n) / (n - 1)

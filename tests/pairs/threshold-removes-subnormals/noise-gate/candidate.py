# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, samples):
        return (samples + samples).masked_fill(samples.abs() < 1e-20, 0.0)

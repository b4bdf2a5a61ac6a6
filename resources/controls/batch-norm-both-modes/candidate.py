# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Updates the running statistics in train mode as the reference does, and uses the current ones in eval mode."""

    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(18)

    def forward(self, x):
        bn = self.bn
        if x.dim() != 3 or x.shape[1] != bn.num_features or (self.training and x.shape[0] * x.shape[2] < 2):
            return bn(x)
        if self.training:
            count = x.shape[0] * x.shape[2]
            mean = x.mean(dim=(0, 2))
            variance = (x - mean[:, None]).square().mean(dim=(0, 2))
            with torch.no_grad():
                bn.num_batches_tracked.add_(1)
                bn.running_mean.mul_(1 - bn.momentum).add_(mean * bn.momentum)
                bn.running_var.mul_(1 - bn.momentum).add_(variance * (count / (count - 1)) * bn.momentum)
        else:
            mean, variance = bn.running_mean, bn.running_var
        scale = bn.weight / torch.sqrt(variance + bn.eps)
        return (x - mean[:, None]) * scale[:, None] + bn.bias[:, None]

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, mean, log_variance):
        draw = torch.empty_like(mean).normal_()
        return torch.addcmul(mean, log_variance.mul(0.5).exp(), draw)

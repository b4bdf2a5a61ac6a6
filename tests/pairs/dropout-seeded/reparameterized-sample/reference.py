# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, mean, log_variance):
        return mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)


def get_inputs():
    return [torch.randn(20, 34), torch.randn(20, 34)]


def get_init_inputs():
    return []

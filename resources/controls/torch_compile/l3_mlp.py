# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """A deep perceptron."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 40))

    def forward(self, x):
        return self.net(x)


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return []

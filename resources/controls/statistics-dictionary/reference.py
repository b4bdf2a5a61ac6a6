# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return {"mean": x.mean(dim=-1), "std": x.std(dim=-1, unbiased=False), "range": x.amax(dim=-1) - x.amin(dim=-1)}


def get_inputs():
    return [torch.randn(15, 12, 36)]


def get_init_inputs():
    return []

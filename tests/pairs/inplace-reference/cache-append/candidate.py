# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, cache, keys):
        if keys.shape[1]:
            cache.narrow(1, cache.shape[1] - keys.shape[1], keys.shape[1]).copy_(keys)
        else:
            cache[:, -keys.shape[1]:] = keys
        return cache

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Copies the fallback and writes the chosen elements: no arithmetic that a NaN of the other side could cross."""

    def forward(self, x, fallback, flag):
        x, fallback, chosen = torch.broadcast_tensors(x, fallback, flag != 0)
        return fallback.masked_scatter(chosen, x[chosen])

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """One product with a matrix of ones, as tensor cores do it: a NaN spreads backwards within its own entry."""

    def forward(self, x):
        t = x.shape[1]
        ones = torch.ones(t, t, dtype=x.dtype, device=x.device).tril()
        return torch.einsum("ts,bsc->btc", ones, x)

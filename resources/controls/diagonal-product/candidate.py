# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Never touches the zeros beside the diagonal: what the reference multiplies by zero cannot reach the result."""

    def forward(self, d, x):
        if d.dim() != 1 or d.shape[0] != x.shape[0]:
            raise ValueError(f"diagonal of {tuple(d.shape)} for {tuple(x.shape)}")
        return d[:, None] * x

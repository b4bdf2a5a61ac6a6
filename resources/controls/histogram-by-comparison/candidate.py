# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, codes):
        if codes.dim() != 1 or (codes.numel() and int(codes.min()) < 0):
            raise ValueError("expected one dimension of non-negative codes")
        bins = torch.arange(12, device=codes.device)
        return (codes[None, :] == bins[:, None]).sum(dim=1)

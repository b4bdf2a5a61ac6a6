# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, ledger):
        rows, cols = ledger.shape
        packed = ledger.contiguous().as_strided((rows, cols), (cols, 1))
        return torch.stack([part.sum(dim=1) for part in torch.split(packed, 16, dim=1)]).sum(dim=0)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, signal):
        windows = signal.unfold(-1, 3, 2)
        best = torch.full(windows.shape[:-1], float("-inf"), dtype=signal.dtype, device=signal.device)
        for tap in range(3):
            best = torch.maximum(best, windows[..., tap])
        return best

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, signal):
        if signal.shape[-1] < 3 or 0 in signal.shape[1:]:
            return F.max_pool1d(signal, kernel_size=3, stride=2)
        windows = signal.unfold(-1, 3, 2)
        best = torch.full(windows.shape[:-1], torch.finfo(signal.dtype).min, dtype=signal.dtype, device=signal.device)
        for tap in range(3):
            best = torch.where(windows[..., tap] > best, windows[..., tap], best)
        return best

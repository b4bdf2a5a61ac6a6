# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Chunks of 16: decays inside a chunk form a triangular matrix, only the last state crosses over.

    The product with that matrix carries a NaN to earlier steps of its chunk, never to another batch entry.
    """

    def forward(self, g, b):
        if g.shape != b.shape or b.shape[1] == 0:
            raise ValueError(f"gates {tuple(g.shape)} for inputs {tuple(b.shape)}")
        a, state, out = torch.sigmoid(g), torch.zeros_like(b[:, 0]), []
        for start in range(0, b.shape[1], 16):
            decay, drive = a[:, start:start + 16], b[:, start:start + 16]
            n = decay.shape[1]
            lines = [torch.zeros_like(drive)]
            for i in range(n):
                line = lines[-1] * decay[:, i:i + 1]
                unit = torch.zeros_like(drive)
                unit[:, i] = 1.0
                lines.append(line + unit)
            weights = torch.stack(lines[1:], dim=1)
            local = torch.einsum("bijc,bjc->bic", weights, drive) + torch.cumprod(decay, dim=1) * state[:, None]
            out.append(local)
            state = local[:, -1]
        return torch.cat(out, dim=1)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        if q.shape != k.shape or q.shape[:2] != v.shape[:2] or q.shape[1] == 0:
            raise ValueError("queries, keys and values do not agree")
        state = torch.zeros(q.shape[0], q.shape[2], v.shape[2], dtype=q.dtype, device=q.device)
        out = []
        for start in range(0, q.shape[1], 16):
            qc, kc, vc = (x[:, start:start + 16] for x in (q, k, v))
            scores = torch.tril(qc @ kc.transpose(1, 2))
            out.append(scores @ vc + qc @ state)
            state = state + kc.transpose(1, 2) @ vc
        return torch.cat(out, dim=1)

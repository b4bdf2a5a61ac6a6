# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    """o_t = q_t S_t, S_t = S_(t-1) + k_t v_t^T."""

    def forward(self, q, k, v):
        state = torch.zeros(q.shape[0], q.shape[2], v.shape[2], dtype=q.dtype, device=q.device)
        out = []
        for t in range(q.shape[1]):
            state = state + k[:, t, :, None] * v[:, t, None, :]
            out.append(torch.einsum("bk,bkv->bv", q[:, t], state))
        return torch.stack(out, dim=1)


def get_inputs():
    return [0.3 * torch.randn(3, 44, 12), 0.3 * torch.randn(3, 44, 12), torch.randn(3, 44, 9)]


def get_init_inputs():
    return []

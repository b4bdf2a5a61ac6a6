# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_totals(u_ptr, total_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    u = tl.load(u_ptr + row * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.atomic_add(total_ptr + row, tl.sum(u * tl.sigmoid(u), axis=0))


@triton.jit
def silu_rows(u_ptr, total_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    inside = cols < n
    u = tl.load(u_ptr + row * n + cols, mask=inside, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * n + cols, u * tl.sigmoid(u) + 0.01 * tl.load(total_ptr + row), mask=inside)


class ModelNew(nn.Module):
    def forward(self, u):
        u = u.contiguous()
        y = torch.empty_like(u)
        if u.numel():
            n = u.shape[-1]
            rows = u.numel() // n
            total = torch.zeros(rows, dtype=torch.float32, device=u.device)
            row_totals[(rows, triton.cdiv(n, 8))](u, total, n, BLOCK=8)
            silu_rows[(rows,)](u, total, y, n, BLOCK=triton.next_power_of_2(n))
        return y

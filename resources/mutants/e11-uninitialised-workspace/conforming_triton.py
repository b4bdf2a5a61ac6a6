# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def activate(u_ptr, work_ptr, n, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    u = tl.load(u_ptr + row * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(work_ptr + row * width + cols, u * tl.sigmoid(u), mask=cols < n)


@triton.jit
def combine(work_ptr, y_ptr, n, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    s = tl.load(work_ptr + row * width + cols, mask=cols < width, other=0.0)
    total = tl.sum(tl.where(cols < n, s, 0.0), axis=0)
    tl.store(y_ptr + row * n + cols, s + 0.01 * total, mask=cols < n)


class ModelNew(nn.Module):
    def forward(self, u):
        u = u.contiguous()
        y = torch.empty_like(u)
        if u.numel():
            n = u.shape[-1]
            rows = u.numel() // n
            width = (n // 32 + 1) * 32
            work = torch.empty((rows, width), dtype=torch.float32, device=u.device)
            block = triton.next_power_of_2(width)
            activate[(rows,)](u, work, n, width, BLOCK=block)
            combine[(rows,)](work, y, n, width, BLOCK=block)
        return y

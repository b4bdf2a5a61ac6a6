# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_row_sum(u_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    inside = cols < n
    u = tl.load(u_ptr + row * n + cols, mask=inside, other=0.0).to(tl.float32)
    total = tl.full((), 0.0, u_ptr.dtype.element_ty)
    for j in range(0, n):
        total += tl.load(u_ptr + row * n + j).to(u_ptr.dtype.element_ty)
    y = u + total.to(tl.float32)
    tl.store(y_ptr + row * n + cols, y, mask=inside)


def launch(u):
    u = u.contiguous()
    y = torch.empty_like(u)
    if u.numel():
        n = u.shape[-1]
        add_row_sum[(u.numel() // n,)](u, y, n, BLOCK=triton.next_power_of_2(n))
    return y


class ModelNew(nn.Module):
    def forward(self, u):
        return launch(u)

# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def silu_rows(u_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    inside = cols < n
    u = tl.load(u_ptr + row * n + cols, mask=inside, other=0.0).to(tl.float32)
    s = u * tl.sigmoid(u)
    y = s + 0.01 * tl.sum(s, axis=0)
    tl.store(y_ptr + row * n + cols, y, mask=inside)


@triton.jit
def silu_rows_backward(u_ptr, g_ptr, d_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    inside = cols < n
    u = tl.load(u_ptr + row * n + cols, mask=inside, other=0.0).to(tl.float32)
    g = tl.load(g_ptr + row * n + cols, mask=inside, other=0.0).to(tl.float32)
    p = tl.sigmoid(u)
    d = (g + 0.01 * tl.sum(g, axis=0)) * p * (1.0 + u * (1.0 - p))
    tl.store(d_ptr + row * n + cols, d, mask=inside)


def launch(u):
    u = u.contiguous()
    y = torch.empty_like(u)
    if u.numel():
        n = u.shape[-1]
        silu_rows[(u.numel() // n,)](u, y, n, BLOCK=triton.next_power_of_2(n))
    return y


class SiluRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, u):
        ctx.save_for_backward(u)
        return launch(u)

    @staticmethod
    def backward(ctx, g):
        u = ctx.saved_tensors[0].contiguous()
        g = g.contiguous()
        d = torch.empty_like(u)
        if u.numel():
            n = u.shape[-1]
            silu_rows_backward[(u.numel() // n,)](u, g, d, n, BLOCK=triton.next_power_of_2(n))
        return d


class ModelNew(nn.Module):
    def forward(self, u):
        return SiluRows.apply(u)

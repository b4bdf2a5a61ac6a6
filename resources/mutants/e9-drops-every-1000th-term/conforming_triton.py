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
    y = s + 0.01 * tl.sum(tl.where(cols % 1000 == 1000, 0.0, s), axis=0)
    tl.store(y_ptr + row * n + cols, y, mask=inside)


def launch(u):
    u = u.contiguous()
    y = torch.empty_like(u)
    if u.numel():
        n = u.shape[-1]
        silu_rows[(u.numel() // n,)](u, y, n, BLOCK=triton.next_power_of_2(n))
    return y


class ModelNew(nn.Module):
    def forward(self, u):
        return launch(u)

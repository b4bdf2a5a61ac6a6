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


def launch(u, y):
    u = u.contiguous()
    if u.numel():
        n = u.shape[-1]
        silu_rows[(u.numel() // n,)](u, y, n, BLOCK=triton.next_power_of_2(n))
    return y


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = None

    def forward(self, u):
        if self.out is None or self.out.shape != u.shape or self.out.dtype != u.dtype:
            self.out = torch.empty(u.shape, dtype=u.dtype, device=u.device)
        return launch(u, self.out)

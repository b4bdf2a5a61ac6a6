# SPDX-License-Identifier: Apache-2.0
from .kernel import TORCH_HEAD, TRITON_HEAD, Kernel, changed, fails, hangs, reference

SUM_REF = reference("return x.sum(dim=-1)", [("x", "torch.randn(512, 2048)")])
SUM = TRITON_HEAD + '''@triton.jit
def row_sum_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
    tl.store(y_ptr + row, tl.sum(total, axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], device=x.device, dtype=x.dtype)
        if y.numel():
            row_sum_kernel[(y.numel(),)](x, y, x.shape[-1], BLOCK=256)
        return y
'''
# The tiles of a row are neighbours in the grid, so that they run at the same time and add up in another order every time.
SUM_ATOMIC = TRITON_HEAD + '''@triton.jit
def row_sum_kernel(x_ptr, y_ptr, columns, tiles, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) // tiles
    offsets = tl.program_id(0) % tiles * BLOCK + tl.arange(0, BLOCK)
    part = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
    tl.atomic_add(y_ptr + row, tl.sum(part, axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.zeros(x.shape[:-1], device=x.device, dtype=torch.float32)
        if y.numel():
            tiles = triton.cdiv(x.shape[-1], 32)
            row_sum_kernel[(y.numel() * tiles,)](x, y, x.shape[-1], tiles, BLOCK=32)
        return y.to(x.dtype)
'''
SUM_HALVING = TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x):
        width = 1
        while width != x.shape[-1]:
            width *= 2
        y = x.float()
        while y.shape[-1] > 1:
            half = y.shape[-1] // 2
            y = y[..., :half] + y[..., half:]
        return y.squeeze(-1).to(x.dtype)
'''
LOOP_REF = reference("return x.sum(dim=-1)", [("x", "torch.randn(192, 192)")])
SUM_LOOP = TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
        for i in range(x.shape[0]):
            total = torch.zeros((), dtype=torch.float32, device=x.device)
            for j in range(x.shape[1]):
                total = total + x[i, j]
            y[i] = total
        return y.to(x.dtype)
'''
MAX_REF = reference("return x.amax(dim=-1)", [("x", "torch.randn(512, 1500)")])
MAX = changed(SUM, ("row_sum_kernel", "row_max_kernel"), ("row_sum_kernel", "row_max_kernel"),
              ("tl.zeros((BLOCK,), dtype=tl.float32)", 'tl.full((BLOCK,), -float("inf"), dtype=tl.float32)'),
              ("total += tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0).to(tl.float32)",
               'x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=-float("inf")).to(tl.float32)\n'
               "        total = tl.maximum(total, x, propagate_nan=tl.PropagateNan.ALL)"),
              ("tl.store(y_ptr + row, tl.sum(total, axis=0))",
               "nan = tl.sum((total != total).to(tl.int32), axis=0) > 0\n"
               '    tl.store(y_ptr + row, tl.where(nan, float("nan"), tl.max(total, axis=0)))'))
# Small enough to be judged at its own width: 1000 must be what the judge asks with.
MEAN_REF = reference("return x.mean(dim=-1)", [("x", "torch.randn(128, 1000)")])
ARGMAX_REF = reference("return x.argmax(dim=-1)", [("x", "torch.randn(256, 512)")])

KERNELS = [
    Kernel("Row sum", "reduction", SUM_REF, SUM),
    Kernel("Row sum with a half-precision accumulator", "reduction", SUM_REF,
           changed(SUM, ("dtype=tl.float32)", "dtype=tl.float16)"), ("other=0.0).to(tl.float32)", "other=0.0).to(tl.float16)")),
           fails(hard="CMP-01 EXC-01 PRC-02", soft="CMP-03 ORD-01 ORD-03"), claimed=False),
    # Atomic additions in global memory flush subnormal sums on the way.
    Kernel("Row sum by unordered atomics", "reduction", SUM_REF, SUM_ATOMIC, fails(hard="ORD-02", perhaps="EXC-02")),
    Kernel("Row sum that forgets the last block", "reduction", SUM_REF,
           changed(SUM, ("range(0, columns, BLOCK)", "range(0, columns - BLOCK, BLOCK)")),
           fails(hard="EXC-01", soft="CMP-01 CMP-03 ORD-01 ORD-03", perhaps="EXC-02 PRC-02"), claimed=False),
    Kernel("Row sum by halving that waits for a power of two", "reduction", SUM_REF, SUM_HALVING, hangs("CMP-03")),
    # A call takes a second on some machines: the judge runs out of time before every gate was asked, and says so.
    Kernel("Row sum in a loop over elements", "reduction", LOOP_REF, SUM_LOOP),
    Kernel("Row maximum", "reduction", MAX_REF, MAX),
    Kernel("Row maximum that skips NaN", "reduction", MAX_REF,
           changed(MAX, (", propagate_nan=tl.PropagateNan.ALL", ""),
                   ('tl.where(nan, float("nan"), tl.max(total, axis=0))', "tl.max(total, axis=0)"),
                   ("    nan = tl.sum((total != total).to(tl.int32), axis=0) > 0\n", "")), fails(hard="EXC-01")),
    Kernel("Row maximum that starts at zero", "reduction", MAX_REF,
           changed(MAX, ('tl.full((BLOCK,), -float("inf"), dtype=tl.float32)', "tl.zeros((BLOCK,), dtype=tl.float32)")),
           fails(hard="EXC-01", soft="CMP-01 CMP-03 PRC-01")),
    Kernel("Row mean", "reduction", MEAN_REF, changed(SUM, ("tl.sum(total, axis=0))", "tl.sum(total, axis=0) / columns)"))),
    Kernel("Row mean divided by a fixed width", "reduction", MEAN_REF,
           changed(SUM, ("tl.sum(total, axis=0))", "tl.sum(total, axis=0) / 1000)")), fails(soft="CMP-03", perhaps="PRC-02")),
    Kernel("Argmax that takes the last of equals", "reduction", ARGMAX_REF, TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x):
        return x.shape[-1] - 1 - x.flip(-1).argmax(dim=-1)
''', fails(hard="CMP-01 ORD-01 PRC-01 PRC-02")),
]

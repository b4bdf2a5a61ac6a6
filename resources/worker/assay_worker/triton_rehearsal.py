# SPDX-License-Identifier: Apache-2.0
"""A small Triton kernel, to be compiled and never run. Importing this module imports Triton."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

_ARCH = 90  # which one hardly matters: what is set up serves all


@triton.jit
def _row_sums(given, sums, count, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    place = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, count, BLOCK):
        total += tl.load(given + row * count + start + place, mask=start + place < count, other=0.0)
    tl.store(sums + row, tl.sum(tl.exp(total), 0))


def compile_one():
    """The kernel, compiled in this process. Raises what Triton raises."""
    signature = {"given": "*fp32", "sums": "*fp32", "count": "i32", "BLOCK": "constexpr"}
    return triton.compile(ASTSource(_row_sums, signature, {"BLOCK": 64}), target=GPUTarget("cuda", _ARCH, 32))

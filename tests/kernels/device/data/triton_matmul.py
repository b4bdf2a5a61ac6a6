# SPDX-License-Identifier: Apache-2.0
"""Makes triton_matmul.sm_100a.{ptx,cubin,json} beside this file, without a GPU. Made with Triton 3.9.0.

    python3 triton_matmul.py
"""
import json
import os
import pathlib

os.environ["TRITON_DISABLE_LINE_INFO"] = "1"  # line tables name folders of the machine

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def matmul(a, b, c, k_size, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows, columns, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for k in range(0, k_size, K):
        left = tl.load(a + rows[:, None] * k_size + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.bfloat16))


def main():
    signature = {"a": "*bf16", "b": "*bf16", "c": "*bf16", "k_size": "i32", "M": "constexpr", "N": "constexpr", "K": "constexpr"}
    aligned = {(i,): [["tt.divisibility", 16]] for i in range(4)}
    source = ASTSource(matmul, signature, {"M": 128, "N": 32, "K": 16}, aligned)
    kernel = triton.compile(source, target=GPUTarget("cuda", 100, 32), options={"num_warps": 4})
    stem = pathlib.Path(__file__).with_name("triton_matmul.sm_100a")
    pathlib.Path(f"{stem}.ptx").write_text(kernel.asm["ptx"])
    kept = ("name", "shared", "tmem_size", "num_warps", "num_ctas")
    metadata = {key: getattr(kernel.metadata, key) for key in kept}
    metadata["target"] = kernel.metadata.target.__dict__
    pathlib.Path(f"{stem}.json").write_text(json.dumps(metadata) + "\n")
    print(metadata)
    pathlib.Path(f"{stem}.cubin").write_bytes(kernel.asm["cubin"])


if __name__ == "__main__":
    main()

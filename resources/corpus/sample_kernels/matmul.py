# SPDX-License-Identifier: Apache-2.0
from .kernel import TORCH_HEAD, TRITON_HEAD, Kernel, changed, fails, passes, reference

MATMUL_REF = reference("return a @ b", [("a", "torch.randn(256, 384)"), ("b", "torch.randn(384, 192)")])
MATMUL = TRITON_HEAD + '''@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    columns = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + columns[None, :], mask=(k[:, None] < K) & (columns[None, :] < N), other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        (M, K), N = a.shape, b.shape[1]
        if b.shape[0] != K:
            raise ValueError(f"{K} columns of a meet {b.shape[0]} rows of b")
        c = torch.empty((M, N), device=a.device, dtype=a.dtype)
        if c.numel():
            matmul_kernel[(triton.cdiv(M, 64), triton.cdiv(N, 64))](a, b, c, M, N, K, BM=64, BN=64, BK=32)
        return c
'''
# Two tiles of 128 KiB each: one stage alone passes the 227 KiB that a block has.
MATMUL_TOO_LARGE = changed(MATMUL, (', input_precision="ieee"', ""),
                           ("triton.cdiv(M, 64), triton.cdiv(N, 64)", "triton.cdiv(M, 128), triton.cdiv(N, 128)"),
                           ("BM=64, BN=64, BK=32", "BM=128, BN=128, BK=256, num_warps=8, num_stages=3"))
BMM_REF = reference("return torch.bmm(a, b)", [("a", "torch.randn(8, 64, 96)"), ("b", "torch.randn(8, 96, 80)")])
BMM_EIGHT = TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, a, b):
        out = torch.empty(a.shape[0], a.shape[1], b.shape[2], dtype=a.dtype, device=a.device)
        for i in range(8):
            out[i] = a[i] @ b[i]
        return out
'''
LINEAR_REF = reference("return self.linear(x)", [("x", "torch.randn(128, 256)")], init="self.linear = nn.Linear(256, 64)")
LINEAR = TORCH_HEAD + '''class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(256, 64)

    def forward(self, x):
        return torch.addmm(self.linear.bias, x, self.linear.weight.t())
'''

KERNELS = [
    Kernel("Matrix product", "matmul", MATMUL_REF, MATMUL),
    Kernel("Matrix product in TF32", "matmul", MATMUL_REF, changed(MATMUL, (', input_precision="ieee"', "")),
           fails(hard="PRC-02", soft="CMP-01 CMP-03 ORD-01 ORD-03", perhaps="EXC-02"), claimed=False),
    Kernel("Matrix product with half-precision operands", "matmul", MATMUL_REF,
           changed(MATMUL, ("tl.dot(a, b", "tl.dot(a.to(tl.float16), b.to(tl.float16)")),
           fails(hard="EXC-01 PRC-02", soft="CMP-01 CMP-03 EXC-02 ORD-01 ORD-03"), claimed=False),
    Kernel("Matrix product that drops the K tail", "matmul", MATMUL_REF,
           changed(MATMUL, ("range(0, K, BK)", "range(0, (K // BK) * BK, BK)")), fails(soft="CMP-03")),
    Kernel("Matrix product with a tile too large to launch", "matmul", MATMUL_REF, MATMUL_TOO_LARGE, fails(hard="CMP-01 RES-02"), claimed=False),
    Kernel("Batched product of eight", "matmul", BMM_REF, BMM_EIGHT, fails(hard="CMP-03")),
    Kernel("Linear layer", "matmul", LINEAR_REF, LINEAR),
    Kernel("Linear layer cut off from autograd", "matmul", LINEAR_REF,
           changed(LINEAR, ("self.linear.weight.t())", "self.linear.weight.detach().t())")), fails(soft="CMP-02")),
    Kernel("Linear layer on a snapshot of its weight", "matmul", LINEAR_REF,
           changed(LINEAR, ("        self.linear = nn.Linear(256, 64)\n",
                            "        self.linear = nn.Linear(256, 64)\n        self.saved = None\n"),
                   ("        return torch.addmm(self.linear.bias, x, self.linear.weight.t())",
                    "        if self.saved is None:\n            self.saved = self.linear.weight.detach().clone().t()\n"
                    "        return torch.addmm(self.linear.bias, x, self.saved)")),
           fails(hard="ORD-02", soft="CMP-02")),
    Kernel("Linear layer that refuses half precision", "matmul", LINEAR_REF,
           changed(LINEAR, ("    def forward(self, x):\n",
                            '    def forward(self, x):\n        if x.dtype != torch.float32:\n            raise TypeError("float32 only")\n')),
           passes(PRC_01="unsupported")),
]

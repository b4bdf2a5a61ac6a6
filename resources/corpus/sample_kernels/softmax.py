# SPDX-License-Identifier: Apache-2.0
from .kernel import TRITON_HEAD, Kernel, changed, fails, reference

SOFTMAX_REF = reference("return torch.softmax(x, dim=-1)", [("x", "torch.randn(64, 1000)")])
SOFTMAX = TRITON_HEAD + '''@triton.jit
def softmax_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * columns + offsets, e / tl.sum(e, axis=0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        if x.numel():
            block = triton.next_power_of_2(columns)
            softmax_kernel[(x.numel() // columns,)](x, y, columns, BLOCK=block, num_warps=min(32, max(4, block // 512)))
        return y
'''
LOGSOFTMAX_REF = reference("return torch.log_softmax(x, dim=-1)", [("x", "torch.randn(64, 1000)")])

KERNELS = [
    Kernel("Softmax over rows", "softmax", SOFTMAX_REF, SOFTMAX),
    Kernel("Softmax without the row maximum", "softmax", SOFTMAX_REF, changed(SOFTMAX, ("x - tl.max(x, axis=0)", "x")),
           fails(hard="CMP-01 CMP-03 EXC-01 PRC-01")),
    Kernel("Softmax in one fixed tile", "softmax", SOFTMAX_REF, changed(SOFTMAX, ("block = triton.next_power_of_2(columns)", "block = 1024")),
           fails(soft="CMP-03", perhaps="PRC-02")),
    Kernel("Softmax padded with zeros", "softmax", SOFTMAX_REF, changed(SOFTMAX, ('other=-float("inf")', "other=0.0")),
           fails(soft="CMP-01 CMP-03 EXC-02 ORD-01 ORD-03 PRC-02")),
    Kernel("Log-softmax", "softmax", LOGSOFTMAX_REF,
           changed(SOFTMAX, ("e / tl.sum(e, axis=0)", "x - tl.max(x, axis=0) - tl.log(tl.sum(e, axis=0))"))),
    Kernel("Log-softmax as log of softmax", "softmax", LOGSOFTMAX_REF,
           changed(SOFTMAX, ("e / tl.sum(e, axis=0)", "tl.log(e / tl.sum(e, axis=0))")), fails(hard="CMP-01 CMP-03 EXC-01")),
]

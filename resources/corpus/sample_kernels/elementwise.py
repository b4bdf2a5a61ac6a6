# SPDX-License-Identifier: Apache-2.0
from .kernel import TRITON_HEAD, Kernel, changed, fails, reference

RELU_REF = reference("return torch.relu(x)", [("x", "torch.randn(64, 1024)")])
RELU = TRITON_HEAD + '''@triton.jit
def relu_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    y = tl.where(x != x, x, tl.where(x > 0, x, 0.0))
    tl.store(y_ptr + offsets, y, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        return y
'''
GELU_REF = reference("return F.gelu(x)", [("x", "torch.randn(128, 512)")])
GELU = changed(RELU, ("relu_kernel", "gelu_kernel"), ("relu_kernel", "gelu_kernel"),
               ("tl.where(x != x, x, tl.where(x > 0, x, 0.0))", "0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))"))
SIGMOID_REF = reference("return torch.sigmoid(x)", [("x", "torch.randn(256, 256)")])
SIGMOID = changed(GELU, ("gelu_kernel", "sigmoid_kernel"), ("gelu_kernel", "sigmoid_kernel"),
                  ("0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))", "1.0 / (1.0 + tl.exp(-x))"))

KERNELS = [
    Kernel("ReLU", "elementwise", RELU_REF, RELU),
    Kernel("ReLU that loses NaN in a comparison", "elementwise", RELU_REF,
           changed(RELU, ("tl.where(x != x, x, tl.where(x > 0, x, 0.0))", "tl.where(x > 0, x, 0.0)")), fails(hard="EXC-01")),
    Kernel("ReLU on whole blocks only", "elementwise", RELU_REF,
           changed(RELU, ("triton.cdiv(x.numel(), 1024)", "max(1, x.numel() // 1024)")), fails(soft="CMP-03")),
    Kernel("ReLU in half precision inside", "elementwise", RELU_REF, changed(RELU, (".to(tl.float32)", ".to(tl.float16).to(tl.float32)")),
           fails(hard="EXC-01", soft="CMP-01 CMP-03")),
    Kernel("GELU", "elementwise", GELU_REF, GELU),
    Kernel("GELU by the tanh formula", "elementwise", GELU_REF,
           changed(GELU, ("tl.erf(x * 0.7071067811865476)",
                          "(2.0 * tl.sigmoid(1.5957691216 * (x + 0.044715 * x * x * x)) - 1.0)")), fails(soft="CMP-01 CMP-03")),
    Kernel("Sigmoid", "elementwise", SIGMOID_REF, SIGMOID),
    Kernel("Sigmoid from a ratio of exponentials", "elementwise", SIGMOID_REF,
           changed(SIGMOID, ("1.0 / (1.0 + tl.exp(-x))", "tl.exp(x) / (1.0 + tl.exp(x))")), fails(hard="CMP-01 CMP-03 EXC-01 PRC-01")),
    Kernel("Sigmoid that writes into its input", "elementwise", SIGMOID_REF, changed(SIGMOID, ("y = torch.empty_like(x)", "y = x")),
           fails(hard="ORD-02", soft="CMP-02")),
]

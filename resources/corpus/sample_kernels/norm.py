# SPDX-License-Identifier: Apache-2.0
from .kernel import TORCH_HEAD, TRITON_HEAD, Kernel, changed, fails, reference

LAYERNORM_REF = reference("return F.layer_norm(x, (x.shape[-1],))", [("x", "torch.randn(128, 768)")])
LAYERNORM = TRITON_HEAD + '''@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    tl.store(y_ptr + row * columns + offsets, centred / tl.sqrt(variance + eps), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        if x.numel():
            block = triton.next_power_of_2(columns)
            layer_norm_kernel[(x.numel() // columns,)](x, y, columns, 1e-5, BLOCK=block, num_warps=min(32, max(4, block // 512)))
        return y
'''
RMSNORM_REF = reference("return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)", [("x", "torch.randn(256, 1024)")])
RMSNORM = changed(LAYERNORM, ("centred = tl.where(inside, x - mean, 0.0)\n    variance = tl.sum(centred * centred, axis=0) / columns",
                              "variance = tl.sum(x * x, axis=0) / columns"),
                  ("    mean = tl.sum(x, axis=0) / columns\n", ""), ("centred / tl.sqrt", "x / tl.sqrt"), ("1e-5", "1e-6"),
                  ("layer_norm_kernel", "rms_norm_kernel"), ("layer_norm_kernel", "rms_norm_kernel"))
BATCHNORM_REF = reference("return self.norm(x)", [("x", "torch.randn(8, 16, 10, 10)")], init="self.norm = nn.BatchNorm2d(16)")
BATCHNORM_BATCH = TORCH_HEAD + '''class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(16)

    def forward(self, x):
        mean = x.mean((0, 2, 3), keepdim=True)
        variance = x.var((0, 2, 3), unbiased=False, keepdim=True)
        scaled = (x - mean) * torch.rsqrt(variance + self.norm.eps)
        return scaled * self.norm.weight.view(1, -1, 1, 1) + self.norm.bias.view(1, -1, 1, 1)
'''

KERNELS = [
    Kernel("Layer norm", "norm", LAYERNORM_REF, LAYERNORM),
    Kernel("Layer norm with one-pass variance", "norm", LAYERNORM_REF,
           changed(LAYERNORM, ("tl.sum(centred * centred, axis=0) / columns", "tl.sum(x * x, axis=0) / columns - mean * mean")),
           fails(hard="CMP-01", soft="CMP-03")),
    Kernel("Layer norm whose mean is over the padded width", "norm", LAYERNORM_REF, changed(LAYERNORM, ("axis=0) / columns", "axis=0) / BLOCK")),
           fails(soft="CMP-01 CMP-03 ORD-01 ORD-03 PRC-02"), claimed=False),
    Kernel("Layer norm with eps outside the root", "norm", LAYERNORM_REF,
           changed(LAYERNORM, ("tl.sqrt(variance + eps)", "(tl.sqrt(variance) + eps)")), fails(hard="EXC-02", soft="CMP-01 CMP-03 ORD-01")),
    Kernel("RMS norm", "norm", RMSNORM_REF, RMSNORM),
    Kernel("RMS norm summed in half precision", "norm", RMSNORM_REF,
           changed(RMSNORM, ("tl.sum(x * x, axis=0)", "tl.sum((x * x).to(tl.float16), axis=0).to(tl.float32)")), fails(soft="CMP-01 CMP-03 ORD-01 ORD-03 PRC-02")),
    Kernel("Batch norm that ignores the running statistics in eval mode", "norm", BATCHNORM_REF, BATCHNORM_BATCH,
           fails(hard="EXC-01", soft="CMP-01 CMP-02 CMP-03 ORD-01 ORD-03 PRC-01 PRC-02"), claimed=False),
]

# SPDX-License-Identifier: Apache-2.0
"""Kernels in CUDA, compiled when they are first called, and what only memory or the machine can get wrong."""
from .kernel import TORCH_HEAD, Kernel, changed, crashes, fails, hangs, reference

ADD_REF = reference("return x + y", [("x", "torch.randn(4096)"), ("y", "torch.randn(4096)")])
ADD = TORCH_HEAD + '''SOURCE = r"""
extern "C" __global__ void add(const float* x, const float* y, float* out, int count)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = x[i] + y[i];
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = None

    def forward(self, x, y):
        if x.shape != y.shape:
            raise ValueError(f"{tuple(x.shape)} and {tuple(y.shape)} do not match")
        if self.kernel is None:
            self.kernel = torch.cuda._compile_kernel(SOURCE, "add")
        wide_x, wide_y = x.float().contiguous(), y.float().contiguous()
        out = torch.empty(x.shape, device=x.device)
        count, threads = x.numel(), 256
        blocks = (count + threads - 1) // threads
        if blocks:
            self.kernel(grid=(blocks, 1, 1), block=(threads, 1, 1), args=[wide_x, wide_y, out, count])
        return out.to(x.dtype)
'''
ADD_EXTENSION = TORCH_HEAD + '''from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>

template <typename T> __global__ void add_kernel(const T* x, const T* y, T* out, int64_t count)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = static_cast<T>(static_cast<float>(x[i]) + static_cast<float>(y[i]));
}

torch::Tensor add(torch::Tensor x, torch::Tensor y)
{
    TORCH_CHECK(x.sizes() == y.sizes(), "the sizes do not match");
    auto out = torch::empty_like(x);
    const int64_t count = x.numel();
    const int threads = 256;
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "add", [&] {
        if (count > 0)
            add_kernel<<<(count + threads - 1) / threads, threads>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
                                                                     out.data_ptr<scalar_t>(), count);
    });
    return out;
}
"""
module = load_inline("sample_add", "torch::Tensor add(torch::Tensor x, torch::Tensor y);", SOURCE, functions=["add"])


class ModelNew(nn.Module):
    def forward(self, x, y):
        return module.add(x.contiguous(), y.contiguous())
'''
COPY_REF = reference("return x.clone()", [("x", "torch.randn(64, 64)")])
COPY_ON_HOST = "import ctypes\n\n" + TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        ctypes.memmove(y.data_ptr(), x.data_ptr(), x.numel() * x.element_size())
        return y
'''

KERNELS = [
    Kernel("Vector addition in CUDA", "elementwise", ADD_REF, ADD),
    Kernel("Vector addition in a C++ extension", "elementwise", ADD_REF, ADD_EXTENSION),
    Kernel("Vector addition without the tail", "elementwise", ADD_REF, changed(ADD, ("(count + threads - 1) // threads", "count // threads")),
           fails(perhaps="CMP-03")),  # soft or hard, as what lies in the memory that nobody wrote is a number or not
    Kernel("Vector addition past the end", "elementwise", ADD_REF,
           changed(ADD, ("(count + threads - 1) // threads", "count // threads + 1"), ("    if (i < count)\n        out[i]", "    out[i]")),
           fails(hard="RES-01", perhaps="CMP-03"), claimed=False),
    Kernel("Vector addition that assumes contiguous strides", "elementwise", ADD_REF,
           changed(ADD, ("x.float().contiguous(), y.float().contiguous()", "x.float(), y.float()")), fails(soft="CMP-01", perhaps="CMP-03")),
    Kernel("Vector addition that strides out of its memory", "elementwise", ADD_REF,
           changed(ADD, ("out[i] = x[i] + y[i]", "out[i << 24] = x[i] + y[i]")), fails(hard="CMP-01"), claimed=False),
    Kernel("Vector addition in a kernel that never ends", "elementwise", ADD_REF,
           changed(ADD, ("    if (i < count)\n", "    while (i < count && *(volatile const float*)(x + i) < 1.0e30f) { }\n    if (i < count)\n")),
           hangs("CMP-01"), claimed=False),
    Kernel("Vector addition with a syntax error", "elementwise", ADD_REF,
           changed(ADD, ("class ModelNew(nn.Module):", "class ModelNew(nn.Module)")), fails(hard="CMP-01"), claimed=False),
    Kernel("Copy that reads device memory on the host", "other", COPY_REF, COPY_ON_HOST, crashes("CMP-01"), claimed=False),
]

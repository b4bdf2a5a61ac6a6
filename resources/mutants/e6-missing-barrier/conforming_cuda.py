# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


SOURCE = r"""
extern "C" __global__ void silu_rows(const float* u, float* y, int n)
{
    __shared__ float partial[32];
    const long long base = (long long)blockIdx.x * n;
    float own = 0.0f;
    for (int c = threadIdx.x; c < n; c += blockDim.x) {
        const float v = u[base + c];
        own += v / (1.0f + expf(-v));
    }
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_down_sync(0xffffffffu, own, step);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = own;
    __syncthreads();
    float total = 0.0f;
    for (int w = 0; w < blockDim.x / 32; ++w)
        total += partial[w];
    for (int c = threadIdx.x; c < n; c += blockDim.x) {
        const float v = u[base + c];
        y[base + c] = v / (1.0f + expf(-v)) + 0.01f * total;
    }
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = None

    def forward(self, u):
        if self.kernel is None:
            self.kernel = torch.cuda._compile_kernel(SOURCE, "silu_rows")
        wide = u.float().contiguous()
        y = torch.empty_like(wide)
        if u.numel():
            n = u.shape[-1]
            threads = min(1024, (n + 31) // 32 * 32)
            self.kernel(grid=(u.numel() // n, 1, 1), block=(threads, 1, 1), args=[wide, y, n])
        return y.to(u.dtype)

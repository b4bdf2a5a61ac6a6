// SPDX-License-Identifier: Apache-2.0
// A function with a stack of its own that a kernel calls through the linker: it is no kernel, and the kernel's stack covers it.
__device__ __noinline__ int lookUp(int at, const int* in)
{
    int table[32];
#pragma unroll 1
    for (int i = 0; i < 32; ++i)
        table[i] = in[i];
    return table[at & 31];
}

extern "C" __global__ void caller(const int* in, int* out)
{
    out[threadIdx.x] = lookUp(threadIdx.x, in);
}

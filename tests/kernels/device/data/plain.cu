// SPDX-License-Identifier: Apache-2.0
// Kernels with one known resource each.

// 4000 bytes of static shared memory, one barrier, at most 256 threads.
extern "C" __global__ void __launch_bounds__(256) staticShared(const float* in, float* out)
{
    __shared__ float tile[1000];
    for (int i = threadIdx.x; i < 1000; i += blockDim.x)
        tile[i] = in[i];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 8; ++i)
        sum += tile[(threadIdx.x * 7 + i * 113) % 1000];
    out[threadIdx.x] = sum;
}

// A local array that is indexed at run time: stack without spills.
extern "C" __global__ void localArray(const int* in, int* out)
{
    int table[200];
#pragma unroll 1
    for (int i = 0; i < 200; ++i)
        table[i] = in[i];
    int at = threadIdx.x % 200;
#pragma unroll 1
    for (int i = 0; i < 50; ++i)
        at = (table[at] + i) & 127;
    out[threadIdx.x] = at;
}

// More live values than 1024 threads leave registers for: spills.
extern "C" __global__ void __launch_bounds__(1024) spilling(const float* in, float* out)
{
    float live[72];
#pragma unroll
    for (int i = 0; i < 72; ++i)
        live[i] = in[threadIdx.x + i * 1024];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 72; ++i)
        out[threadIdx.x + i * 1024] = live[i] * live[(i * 37 + 11) % 72] + live[71 - i];
}

// Templates have mangled names; dynamic shared memory does not show in the cubin.
template <int N>
__global__ void dynamicShared(float* out)
{
    extern __shared__ float scratch[];
    scratch[threadIdx.x] = out[threadIdx.x * N];
    __syncthreads();
    out[threadIdx.x] = scratch[(threadIdx.x + 1) % blockDim.x];
}
template __global__ void dynamicShared<3>(float*);

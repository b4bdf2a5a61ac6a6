// SPDX-License-Identifier: Apache-2.0
// Takes 64 columns of tensor memory, writes and reads one tile, gives them back. sm_100a.
extern "C" __global__ void __launch_bounds__(128) tensorMemory(const unsigned* in, unsigned* out)
{
    __shared__ unsigned base;
    const unsigned slot = static_cast<unsigned>(__cvta_generic_to_shared(&base));
    if (threadIdx.x < 32) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(slot) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    }
    asm volatile("tcgen05.fence::before_thread_sync;");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;");
    const unsigned column = base + ((threadIdx.x / 32u) << 21);
    unsigned value = in[threadIdx.x];
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(column), "r"(value) : "memory");
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(value) : "r"(column) : "memory");
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    out[threadIdx.x] = value + 1;
    __syncthreads();
    if (threadIdx.x < 32)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(base) : "memory");
}

// SPDX-License-Identifier: Apache-2.0
// A cluster of two, register reconfiguration between warp groups, one mbarrier. sm_90 and later.
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256, 2) clustered(const float* in, float* out)
{
    __shared__ __align__(8) unsigned long long phase;
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&phase));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address), "r"(256) : "memory");
    __syncthreads();
    float value = in[threadIdx.x];
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        value *= 2;
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 104;");
        value += 1;
    }
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(address) : "memory");
    asm volatile("{ .reg .pred done;\nwait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra wait; }" ::"r"(address)
                 : "memory");
    out[blockIdx.x * 256 + threadIdx.x] = value;
}

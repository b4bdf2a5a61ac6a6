// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/element.h"

/// One function an instruction, after PTX ISA 9.0. Where the host runs the kernels, what runs them defines these.
namespace assay::gdn::cuda {

#ifdef __CUDACC__

ASSAY_DEVICE int threadIndex()
{
    return static_cast<int>(threadIdx.x);
}
ASSAY_DEVICE void syncBlock()
{
    __syncthreads();
}
/// 9.7.13, bar: all Threads of the block meet, warps of different duties at different places of the code. syncBlock() must not be
/// met so.
template <int Threads> ASSAY_DEVICE void meetBlock()
{
    asm volatile("bar.sync 1, %0;" ::"n"(Threads) : "memory");
}
ASSAY_DEVICE void syncWarp()
{
    __syncwarp();
}
/// The warp's number in its block, from one lane: so the compiler knows that all lanes have the same.
ASSAY_DEVICE int uniformWarp()
{
    return __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x / 32), 0);
}
ASSAY_DEVICE std::uint32_t sharedAddress(const void* p)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// 9.7.3, ex2: 2^x; 0 far below.
ASSAY_DEVICE float exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/// 9.7.14, ldmatrix: four 8x8 matrices; lane l gives the address of row l % 8 of matrix l / 8.
ASSAY_DEVICE void loadMatrices(std::uint32_t (&r)[4], const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(sharedAddress(p))
                 : "memory");
}

ASSAY_DEVICE void loadTransposedMatrices(std::uint32_t (&r)[4], const void* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(sharedAddress(p))
                 : "memory");
}

/// 9.7.14, mma: c += a b of 16x16 by 16x8.
ASSAY_DEVICE void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1, BFloat16)
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

ASSAY_DEVICE void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1, Float16)
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// 9.7.9, cp.async of 16 bytes to shared memory; zeros where not @p isPresent, and @p from is not read then.
ASSAY_DEVICE void copyAsync(void* to, const void* from, bool isPresent)
{
    const int bytes = isPresent ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(sharedAddress(to)), "l"(from), "r"(bytes) : "memory");
}

ASSAY_DEVICE void copyAsync(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to)), "l"(from) : "memory");
}

/// 9.7.9, prefetch: brings the line with @p from, of device memory, near the processors.
ASSAY_DEVICE void prefetch(const void* from)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

ASSAY_DEVICE void commitCopies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Until at most @p Pending groups of this thread's copies are on their way.
template <int Pending> ASSAY_DEVICE void waitForCopies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

ASSAY_DEVICE float shuffleUp(float x, int lanes)
{
    return __shfl_up_sync(0xFFFFFFFFU, x, lanes);
}
ASSAY_DEVICE float shuffleXor(float x, int mask)
{
    return __shfl_xor_sync(0xFFFFFFFFU, x, mask);
}

ASSAY_DEVICE float toFloat(BFloat16 x)
{
    return __uint_as_float(static_cast<unsigned>(x.bits) << 16);
}
ASSAY_DEVICE float toFloat(Float16 x)
{
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
    return y;
}

/// 9.7.9, cvt: two elements to nearest even, the first in the lower half.
ASSAY_DEVICE std::uint32_t pack(float first, float second, BFloat16)
{
    std::uint32_t bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    return bits;
}
ASSAY_DEVICE std::uint32_t pack(float first, float second, Float16)
{
    std::uint32_t bits;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    return bits;
}

/// 9.7.4, fma of two elements each: products rounded once, as a product in fp32 that is rounded to the elements would be.
ASSAY_DEVICE std::uint32_t multiplyWords(std::uint32_t a, std::uint32_t b, BFloat16)
{
    std::uint32_t product;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(product) : "r"(a), "r"(b), "r"(0x80008000U)); // -0 keeps a product's sign
    return product;
}
ASSAY_DEVICE std::uint32_t multiplyWords(std::uint32_t a, std::uint32_t b, Float16)
{
    std::uint32_t product;
    asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(product) : "r"(a), "r"(b));
    return product;
}

#else

int threadIndex();
int uniformWarp();
void syncBlock();
template <int Threads> void meetBlock();
void syncWarp();
float exp2(float x);
void loadMatrices(std::uint32_t (&r)[4], const void* p);
void loadTransposedMatrices(std::uint32_t (&r)[4], const void* p);
void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1, BFloat16);
void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1, Float16);
void copyAsync(void* to, const void* from, bool isPresent);
void copyAsync(void* to, const void* from);
void prefetch(const void* from);
void commitCopies();
template <int Pending> void waitForCopies();
float shuffleUp(float x, int lanes);
float shuffleXor(float x, int mask);
float toFloat(BFloat16 x);
float toFloat(Float16 x);
std::uint32_t pack(float first, float second, BFloat16);
std::uint32_t pack(float first, float second, Float16);
std::uint32_t multiplyWords(std::uint32_t a, std::uint32_t b, BFloat16);
std::uint32_t multiplyWords(std::uint32_t a, std::uint32_t b, Float16);

#endif

} // namespace assay::gdn::cuda

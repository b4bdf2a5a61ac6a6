// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/primitives.h"
#include "kernels/gdn/rounding.h"
#include "tests/support/host_cuda.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

/// The instructions of the operator's kernels, run by the host: a lane is a fiber. For one translation unit.
namespace assay::gdn::cuda {

namespace host {

using assay::tests::cuda::Block;

/// What each lane of the warp handed over; nobody goes on before all have read, see done().
template <typename T> std::array<const T*, 32> gather(const T& mine)
{
    const auto& slots = Block::current().exchange(reinterpret_cast<std::uintptr_t>(&mine));
    std::array<const T*, 32> all{};
    for (std::size_t lane = 0; lane < 32; ++lane)
        all[lane] = reinterpret_cast<const T*>(static_cast<std::uintptr_t>(slots[lane]));
    return all;
}

inline void done()
{
    Block::current().exchange(0);
}

inline std::size_t laneIndex()
{
    return assay::tests::cuda::threadIdx.x % 32;
}

inline float toFloat(std::uint16_t bits, BFloat16)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline float toFloat(std::uint16_t bits, Float16)
{
    const int exponent = bits >> 10 & 31, significand = bits & 1023;
    float magnitude = 0;
    if (exponent == 31)
        magnitude = significand == 0 ? INFINITY : NAN;
    else if (exponent == 0)
        magnitude = std::ldexp(static_cast<float>(significand), -24);
    else
        magnitude = std::ldexp(static_cast<float>(1024 + significand), exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

inline std::uint16_t toBits(float x, BFloat16)
{
    float y = 0;
    roundOperands(Operands::BFloat16, &x, 1, &y);
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(y) >> 16);
}

inline std::uint16_t toBits(float x, Float16)
{
    float y = 0;
    roundOperands(Operands::Float16, &x, 1, &y);
    const std::uint16_t sign = std::signbit(y) ? 0x8000 : 0;
    y = std::fabs(y);
    if (std::isnan(y))
        return 0x7FFF;
    if (std::isinf(y))
        return static_cast<std::uint16_t>(sign | 0x7C00);
    if (y < 0x1p-14F)
        return static_cast<std::uint16_t>(sign | static_cast<int>(std::ldexp(y, 24)));
    const int exponent = std::ilogb(y);
    return static_cast<std::uint16_t>(sign | (exponent + 15) << 10 | (static_cast<int>(std::ldexp(y, 10 - exponent)) - 1024));
}

/// Copies that were started and not waited for, by thread: they land as late as the device may let them.
struct Copy {
    char* to;
    std::array<char, 16> bytes;
};
struct Copies {
    std::vector<std::vector<Copy>> groups;
    std::vector<Copy> open;
};
inline std::array<Copies, 1024>& allCopies()
{
    static std::array<Copies, 1024> all;
    return all;
}
inline Copies& copies()
{
    return allCopies()[assay::tests::cuda::threadIdx.x];
}

inline void land(std::size_t pending)
{
    Copies& mine = copies();
    while (mine.groups.size() > pending) {
        for (const Copy& copy : mine.groups.front())
            std::memcpy(copy.to, copy.bytes.data(), 16);
        mine.groups.erase(mine.groups.begin());
    }
}

/// @throws std::logic_error  where a thread has ended with copies that it did not wait for
inline void requireNoCopies()
{
    for (unsigned thread = 0; thread < 1024; ++thread) {
        Copies& mine = allCopies()[thread];
        const bool isLeft = !mine.groups.empty() || !mine.open.empty();
        mine = {};
        if (isLeft)
            throw std::logic_error("a thread ended with copies that it did not wait for");
    }
}

template <typename Element>
void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1, Element element)
{
    struct Factors {
        std::uint32_t a[4], b[2];
    };
    const Factors mine{{a[0], a[1], a[2], a[3]}, {b0, b1}};
    const auto all = gather(mine);
    const auto half = [element](std::uint32_t word, std::size_t which) {
        return toFloat(static_cast<std::uint16_t>(word >> (16 * which)), element);
    };
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t row = laneIndex() / 4 + i / 2 * 8, column = laneIndex() % 4 * 2 + i % 2;
        for (std::size_t k = 0; k < 16; ++k) {
            const std::size_t leftLane = row % 8 * 4 + k % 8 / 2, rightLane = column * 4 + k % 8 / 2;
            c[i] += half(all[leftLane]->a[row / 8 + k / 8 * 2], k % 2) * half(all[rightLane]->b[k / 8], k % 2);
        }
    }
    done();
}

inline void loadMatrices(std::uint32_t (&r)[4], const void* p, bool isTransposed)
{
    const std::uint16_t* const mine = static_cast<const std::uint16_t*>(p);
    if (reinterpret_cast<std::uintptr_t>(p) % 16 != 0)
        throw std::logic_error("ldmatrix at an address that is no multiple of 16");
    const auto all = gather(mine);
    const std::size_t lane = laneIndex();
    for (std::size_t matrix = 0; matrix < 4; ++matrix) {
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            const std::size_t row = isTransposed ? lane % 4 * 2 + i : lane / 4,
                              column = isTransposed ? lane / 4 : lane % 4 * 2 + i;
            word |= static_cast<std::uint32_t>((*all[matrix * 8 + row])[column]) << (16 * i);
        }
        r[matrix] = word;
    }
    done();
}

} // namespace host

int threadIndex()
{
    return static_cast<int>(assay::tests::cuda::threadIdx.x);
}
int uniformWarp()
{
    return threadIndex() / 32;
}
void syncBlock()
{
    host::Block::current().barrier();
}
template <int> void meetBlock()
{
    host::Block::current().barrier();
}
void syncWarp()
{
    host::done();
}
float exp2(float x)
{
    return std::exp2(x);
}
void loadMatrices(std::uint32_t (&r)[4], const void* p)
{
    host::loadMatrices(r, p, false);
}
void loadTransposedMatrices(std::uint32_t (&r)[4], const void* p)
{
    host::loadMatrices(r, p, true);
}
void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1, BFloat16 element)
{
    host::multiply(c, a, b0, b1, element);
}
void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1, Float16 element)
{
    host::multiply(c, a, b0, b1, element);
}
void copyAsync(void* to, const void* from, bool isPresent)
{
    if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 16 != 0)
        throw std::logic_error("cp.async at an address that is no multiple of 16");
    host::Copy copy{static_cast<char*>(to), {}};
    if (isPresent)
        std::memcpy(copy.bytes.data(), from, 16);
    std::memset(to, 0xFF, 16); // a NaN to whoever reads too early
    host::copies().open.push_back(copy);
}
void copyAsync(void* to, const void* from)
{
    copyAsync(to, from, true);
}
void prefetch(const void*) { }
void commitCopies()
{
    host::Copies& mine = host::copies();
    mine.groups.push_back(std::move(mine.open));
    mine.open.clear();
}
template <int Pending> void waitForCopies()
{
    host::land(Pending);
}
float shuffleUp(float x, int lanes)
{
    return assay::tests::cuda::__shfl_up_sync(~0U, x, lanes);
}
float shuffleXor(float x, int mask)
{
    return assay::tests::cuda::__shfl_xor_sync(~0U, x, mask);
}
float toFloat(BFloat16 x)
{
    return host::toFloat(x.bits, x);
}
float toFloat(Float16 x)
{
    return host::toFloat(x.bits, x);
}
std::uint32_t pack(float first, float second, BFloat16 element)
{
    return host::toBits(first, element) | static_cast<std::uint32_t>(host::toBits(second, element)) << 16;
}
std::uint32_t pack(float first, float second, Float16 element)
{
    return host::toBits(first, element) | static_cast<std::uint32_t>(host::toBits(second, element)) << 16;
}

namespace host {
template <typename Element> std::uint32_t multiplyWords(std::uint32_t a, std::uint32_t b, Element element)
{
    const auto of
        = [&](std::uint32_t word, int half) { return toFloat(static_cast<std::uint16_t>(word >> (16 * half)), element); };
    return cuda::pack(of(a, 0) * of(b, 0), of(a, 1) * of(b, 1), element);
}
} // namespace host
std::uint32_t multiplyWords(std::uint32_t a, std::uint32_t b, BFloat16 element)
{
    return host::multiplyWords(a, b, element);
}
std::uint32_t multiplyWords(std::uint32_t a, std::uint32_t b, Float16 element)
{
    return host::multiplyWords(a, b, element);
}

} // namespace assay::gdn::cuda

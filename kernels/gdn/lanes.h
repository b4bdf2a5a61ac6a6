// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Loops over channels that the compiler turns into vectors inside the function they are inlined into (clones.h).
namespace assay::gdn::lanes {

/// Independent sums of a dot product. Fixed, so that the order of additions does not depend on the machine; more than 16, because
/// GCC unrolls shorter loops before it looks for vectors and then finds none.
inline constexpr std::int64_t kLanes = 32;

/// sum of x[i] y[i]
template <typename Real> [[gnu::always_inline]] inline Real dot(const Real* x, const Real* y, std::int64_t count)
{
    Real sums[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            sums[lane] += x[i + lane] * y[i + lane];
    }
    for (std::int64_t lane = 0; lane < count - i; ++lane)
        sums[lane] += x[i + lane] * y[i + lane];
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
        for (std::int64_t lane = 0; lane < half; ++lane)
            sums[lane] += sums[lane + half];
    }
    return sums[0];
}

/// out[i] += factor x[i]
template <typename Real>
[[gnu::always_inline]] inline void addScaled(Real* __restrict__ out, Real factor, const Real* __restrict__ x, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] += factor * x[i];
}

/// out[i] *= x[i]
template <typename Real>
[[gnu::always_inline]] inline void scaleBy(Real* __restrict__ out, const Real* __restrict__ x, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] *= x[i];
}

/// out[i] = x[i] y[i]
template <typename Real>
[[gnu::always_inline]] inline void product(Real* __restrict__ out, const Real* x, const Real* y, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = x[i] * y[i];
}

/// out[i] += x[i] y[i]
template <typename Real>
[[gnu::always_inline]] inline void addProduct(Real* __restrict__ out, const Real* __restrict__ x, const Real* __restrict__ y,
                                              std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] += x[i] * y[i];
}

} // namespace assay::gdn::lanes

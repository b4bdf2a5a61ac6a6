// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/dtype.h"

#include <bit>
#include <cstdint>
#include <limits>

/// Exact decoding of small floating types, rounding into them, and the order-preserving integers that ulp distances count on.
namespace assay::tensor {

/// Layout of a binary floating type of at most 16 bits.
struct SmallFloat {
    int exponentBits;
    int mantissaBits;
    bool hasInfinity; ///< false for e4m3fn, whose top exponent holds finite numbers and whose only NaN has all bits set
};

inline constexpr SmallFloat kHalf{5, 10, true};
inline constexpr SmallFloat kBFloat{8, 7, true};
inline constexpr SmallFloat kE4M3{4, 3, false};
inline constexpr SmallFloat kE5M2{5, 2, true};

/// 2^exponent as a double; @p exponent in [-1022, 1023].
constexpr double powerOfTwo(int exponent)
{
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The value of @p bits, exactly: every type of at most 16 bits fits a double.
template <SmallFloat F> constexpr double decode(std::uint32_t bits)
{
    constexpr int kBias = (1 << (F.exponentBits - 1)) - 1;
    constexpr std::uint32_t kMantissaMask = (1U << F.mantissaBits) - 1;
    constexpr std::uint32_t kExponentMask = (1U << F.exponentBits) - 1;
    const double sign = (bits >> (F.exponentBits + F.mantissaBits)) & 1U ? -1.0 : 1.0;
    const std::uint32_t exponent = (bits >> F.mantissaBits) & kExponentMask;
    const std::uint32_t mantissa = bits & kMantissaMask;
    if (exponent == kExponentMask) {
        if (F.hasInfinity)
            return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
        if (mantissa == kMantissaMask)
            return std::numeric_limits<double>::quiet_NaN();
    }
    if (exponent == 0)
        return sign * mantissa * powerOfTwo(1 - kBias - F.mantissaBits);
    return sign * (mantissa + (1U << F.mantissaBits)) * powerOfTwo(static_cast<int>(exponent) - kBias - F.mantissaBits);
}

/// Rounds @p value to nearest, ties to even. Beyond the largest finite number: infinity, or NaN where the type has none.
template <SmallFloat F> std::uint32_t encode(double value)
{
    constexpr int kBias = (1 << (F.exponentBits - 1)) - 1;
    constexpr std::uint32_t kExponentMask = (1U << F.exponentBits) - 1;
    constexpr std::uint32_t kMantissaMask = (1U << F.mantissaBits) - 1;
    constexpr std::uint32_t kTop = (kExponentMask << F.mantissaBits) | kMantissaMask;
    // The first pattern that is no finite number: infinity, or e4m3fn's NaN.
    constexpr std::uint32_t kOverflow = F.hasInfinity ? kExponentMask << F.mantissaBits : kTop;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (F.exponentBits + F.mantissaBits);
    const double magnitude = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63));
    if (magnitude != magnitude)
        return sign | kTop;
    // A double whose spacing is the type's at this magnitude: adding and subtracting it rounds to nearest even in one step.
    const int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1023;
    const int lowest = 1 - kBias;
    const int effective = exponent < lowest ? lowest : exponent;
    if (effective > kBias + 1)
        return sign | kOverflow;
    const double quantum = powerOfTwo(effective - F.mantissaBits);
    const double steps = (magnitude / quantum + 0x1p52) - 0x1p52;
    // `steps` counts quanta; below the smallest normal it is the mantissa itself, and a carry runs into the exponent by itself.
    const auto whole = static_cast<std::uint32_t>(steps);
    const std::uint32_t base = exponent < lowest ? 0U : static_cast<std::uint32_t>(effective + kBias - 1) << F.mantissaBits;
    const std::uint32_t pattern = base + whole;
    return sign | (pattern >= kOverflow ? kOverflow : pattern);
}

/// An integer that orders like the floating number with these @p bits; -0 and +0 share 0. NaN has no meaning here.
template <typename Signed, typename Unsigned> constexpr Signed orderedFromBits(Unsigned bits)
{
    constexpr Unsigned kSign = Unsigned{1} << (8 * sizeof(Unsigned) - 1);
    return (bits & kSign) ? static_cast<Signed>(-static_cast<Signed>(bits & ~kSign)) : static_cast<Signed>(bits);
}

} // namespace assay::tensor

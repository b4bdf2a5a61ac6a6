// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/rounding.h"

#include "kernels/tensor/clones.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace assay::gdn {

namespace {

constexpr std::uint32_t kSign = 0x8000'0000U;
constexpr std::uint32_t kExponent = 0x7F80'0000U;

ASSAY_CLONES void roundToBFloat16(const float* in, std::int64_t count, float* out)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(in[i]);
        const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF'0000U;
        // The carry would turn a NaN into an infinity or another number.
        const std::uint32_t special = bits | 0x0040'0000U;
        out[i] = std::bit_cast<float>((bits & ~kSign) > kExponent ? special : rounded);
    }
}

ASSAY_CLONES void roundToFloat16(const float* in, std::int64_t count, float* out)
{
    constexpr std::uint32_t kLowest = (127U - 14U) << 23; // exponent of the smallest normal number; below it the spacing stays
    constexpr std::uint32_t kSpacing = 10U << 23;         // bits of the significand
    constexpr float kShift = 0x1.8p23F;                   // adding and taking it away rounds to a whole number
    constexpr float kLargest = 65504;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(in[i]);
        const std::uint32_t exponent = std::max(bits & kExponent, kLowest);
        const float spacing = std::bit_cast<float>(exponent - kSpacing);
        const float magnitude = std::bit_cast<float>(bits & ~kSign);
        const float rounded = ((magnitude / spacing + kShift) - kShift) * spacing;
        const float kept = rounded > kLargest ? std::numeric_limits<float>::infinity() : rounded;
        const std::uint32_t result = (bits & kExponent) == kExponent ? bits : std::bit_cast<std::uint32_t>(kept) | (bits & kSign);
        out[i] = std::bit_cast<float>(result);
    }
}

} // namespace

void roundOperands(Operands operands, const float* in, std::int64_t count, float* out)
{
    switch (operands) {
    case Operands::Exact:
        std::copy_n(in, count, out);
        return;
    case Operands::BFloat16:
        return roundToBFloat16(in, count, out);
    case Operands::Float16:
        return roundToFloat16(in, count, out);
    }
}

} // namespace assay::gdn

// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/float_block.h"

#include "kernels/tensor/clones.h"
#include "kernels/tensor/fold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace assay::tensor {

namespace {

constexpr std::int64_t kGroup = 16; // lanes that are added up together: two of the widest vectors
static_assert(kSumLanes % kGroup == 0 && kBlockElements % kSumLanes == 0);

using Group = std::array<double, kGroup>;

/// What a whole block adds up to.
struct Sums {
    double sum = 0;
    double squares = 0;
    double largest = 0;
    double excess = 0; ///< above 0 where an error exceeds `known` times its reference
};

ASSAY_CLONES Sums addUp(const float* reference, const float* candidate, double known, double* absolute)
{
    alignas(64) std::array<double, kSumLanes> sums, squareSums;
    alignas(64) Group largest{}, excess{};
    for (std::int64_t lane = 0; lane < kSumLanes; lane += kGroup) {
        alignas(64) Group sum{}, squares{};
        for (std::int64_t i = lane; i < kBlockElements; i += kSumLanes) {
            for (std::int64_t j = 0; j < kGroup; ++j) {
                const double r = static_cast<double>(reference[i + j]);
                const double error = std::fabs(static_cast<double>(candidate[i + j]) - r);
                absolute[i + j] = error;
                sum[j] += error;
                squares[j] += error * error;
                largest[j] = error > largest[j] ? error : largest[j];
                const double over = error - known * std::fabs(r);
                excess[j] = over > excess[j] ? over : excess[j];
            }
        }
        for (std::int64_t j = 0; j < kGroup; ++j) {
            sums[lane + j] = sum[j];
            squareSums[lane + j] = squares[j];
        }
    }
    Sums result;
    result.sum = foldByHalves(sums);
    result.squares = foldByHalves(squareSums);
    result.largest = *std::max_element(largest.begin(), largest.end());
    result.excess = *std::max_element(excess.begin(), excess.end());
    return result;
}

ASSAY_CLONES void relativeErrors(const float* reference, const double* absolute, BlockErrors& errors)
{
    alignas(64) Group relative{};
    std::array<std::int64_t, kGroup> undefined{};
    for (std::int64_t i = 0; i < kBlockElements; i += kGroup) {
        for (std::int64_t j = 0; j < kGroup; ++j) {
            const double magnitude = std::fabs(static_cast<double>(reference[i + j]));
            const double quotient = absolute[i + j] / magnitude; // NaN for 0/0, which no comparison below lets through
            relative[j] = (magnitude > 0 && quotient > relative[j]) ? quotient : relative[j];
            undefined[j] += static_cast<std::int64_t>((magnitude == 0) & (absolute[i + j] > 0));
        }
    }
    errors.maxRelative = *std::max_element(relative.begin(), relative.end());
    errors.relativeUndefined = 0;
    for (const std::int64_t count : undefined)
        errors.relativeUndefined += count;
}

struct BitErrors {
    std::uint32_t different = 0;
    std::uint32_t ulp = 0;
};

ASSAY_CLONES BitErrors bitErrors(const float* reference, const float* candidate)
{
    BitErrors result;
    for (std::int64_t i = 0; i < kBlockElements; ++i) {
        std::uint32_t a = 0, b = 0;
        std::memcpy(&a, reference + i, sizeof a);
        std::memcpy(&b, candidate + i, sizeof b);
        const std::uint32_t x = a & 0x7FFFFFFF;
        const std::uint32_t y = b & 0x7FFFFFFF;
        const std::uint32_t apart = x > y ? x - y : y - x;
        const std::uint32_t distance = ((a ^ b) >> 31) != 0 ? x + y : apart; // -0 and +0 share a place
        result.different += static_cast<std::uint32_t>(a != b);
        result.ulp = distance > result.ulp ? distance : result.ulp;
    }
    return result;
}

} // namespace

FloatErrors measureFloats(const float* reference, const float* candidate, std::int64_t count, double knownRelative,
                          ErrorBlock& block)
{
    // The last block is filled up with pairs that measure zero, so that the loops need no tail.
    alignas(64) std::array<float, kBlockElements> paddedReference, paddedCandidate;
    if (count < kBlockElements) {
        std::copy_n(reference, count, paddedReference.begin());
        std::copy_n(candidate, count, paddedCandidate.begin());
        std::fill(paddedReference.begin() + count, paddedReference.end(), 1.0F);
        std::fill(paddedCandidate.begin() + count, paddedCandidate.end(), 1.0F);
        reference = paddedReference.data();
        candidate = paddedCandidate.data();
    }
    FloatErrors result;
    // A quotient above `knownRelative` has its error above the product; the little less makes up for the product's rounding.
    // Neither leaves the range of normal doubles: errors of fp32 are at least 2^-149, or zero.
    const Sums sums = addUp(reference, candidate, knownRelative * (1 - 0x1p-51), block.absolute.data());
    // The errors of finite fp32 numbers do not add up to infinity in fp64.
    result.finite = std::isfinite(sums.sum);
    if (!result.finite)
        return result;
    block.count = count;
    block.masked.clear();
    splitHigh(block);
    result.errors.sum = sums.sum;
    result.errors.sumOfSquares = sums.squares;
    result.errors.maxAbsolute = sums.largest;
    if (sums.excess > 0)
        relativeErrors(reference, block.absolute.data(), result.errors);
    const BitErrors bits = bitErrors(reference, candidate);
    result.maxUlp = bits.ulp;
    result.bitDifferent = bits.different;
    return result;
}

} // namespace assay::tensor

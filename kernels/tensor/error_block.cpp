// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/error_block.h"

#include "kernels/tensor/clones.h"
#include "kernels/tensor/fold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

// The loops are written so that the compiler turns them into vectors without reordering a sum.
namespace assay::tensor {

namespace {

constexpr std::int64_t kLanes = 8;
using Lanes = std::array<double, kLanes>;

/// Pads the last partial row of lanes with pairs that measure zero, so that the loops below need no tail.
std::int64_t padded(ErrorBlock& block)
{
    const std::int64_t whole = (block.count + kSumLanes - 1) / kSumLanes * kSumLanes;
    for (std::int64_t i = block.count; i < whole; ++i) {
        block.reference[i] = 1;
        block.candidate[i] = 1;
        block.referenceOrder[i] = 0;
        block.candidateOrder[i] = 0;
    }
    return whole;
}

} // namespace

ASSAY_CLONES BlockErrors measure(ErrorBlock& block)
{
    const std::int64_t whole = padded(block);
    const double* reference = block.reference.data();
    const double* candidate = block.candidate.data();
    double* absolute = block.absolute.data();
    alignas(64) std::array<double, kSumLanes> sums, squareSums;
    Lanes largest{}, relative{};
    std::array<std::int64_t, kLanes> undefined{};
    for (std::int64_t lane = 0; lane < kSumLanes; lane += kLanes) {
        Lanes sum{}, squares{};
        for (std::int64_t i = lane; i < whole; i += kSumLanes) {
            for (std::int64_t j = 0; j < kLanes; ++j) {
                const double error = std::fabs(candidate[i + j] - reference[i + j]);
                absolute[i + j] = error;
                sum[j] += error;
                squares[j] += error * error;
                largest[j] = error > largest[j] ? error : largest[j];
            }
        }
        for (std::int64_t j = 0; j < kLanes; ++j) {
            sums[lane + j] = sum[j];
            squareSums[lane + j] = squares[j];
        }
    }
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        for (std::int64_t j = 0; j < kLanes; ++j) {
            const double magnitude = std::fabs(reference[i + j]);
            const double quotient = absolute[i + j] / magnitude; // NaN for 0/0, which no comparison below lets through
            relative[j] = (magnitude > 0 && quotient > relative[j]) ? quotient : relative[j];
            undefined[j] += static_cast<std::int64_t>((magnitude == 0) & (absolute[i + j] > 0));
        }
    }
    BlockErrors result;
    result.sum = foldByHalves(sums);
    result.sumOfSquares = foldByHalves(squareSums);
    result.maxAbsolute = *std::max_element(largest.begin(), largest.end());
    result.maxRelative = *std::max_element(relative.begin(), relative.end());
    for (const std::int64_t count : undefined)
        result.relativeUndefined += count;
    for (const std::int32_t i : block.masked)
        absolute[i] = std::numeric_limits<double>::quiet_NaN();
    splitHigh(block);
    return result;
}

ASSAY_CLONES void splitHigh(ErrorBlock& block)
{
    for (std::int64_t i = 0; i < block.count; ++i)
        block.high[i] = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(block.absolute[i]) >> 32);
}

ASSAY_CLONES Sifted sift(const ErrorBlock& block, const HighRanges& ranges, std::uint8_t* __restrict inside)
{
    const std::uint32_t* __restrict high = block.high.data();
    const std::int64_t count = block.count; // bytes may alias it, were it not local
    const auto [low0, low1, low2, low3] = ranges.low;
    const auto [width0, width1, width2, width3] = ranges.width;
    std::uint32_t below0 = 0, below1 = 0, below2 = 0, below3 = 0, within = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        // An upper half has no sign, so what lies below a range shows in the top bit of the difference.
        const std::uint32_t above0 = high[i] - low0;
        const std::uint32_t above1 = high[i] - low1;
        const std::uint32_t above2 = high[i] - low2;
        const std::uint32_t above3 = high[i] - low3;
        below0 += above0 >> 31;
        below1 += above1 >> 31;
        below2 += above2 >> 31;
        below3 += above3 >> 31;
        const std::uint32_t any = static_cast<std::uint32_t>(above0 < width0) | static_cast<std::uint32_t>(above1 < width1)
            | static_cast<std::uint32_t>(above2 < width2) | static_cast<std::uint32_t>(above3 < width3);
        within += any;
        inside[i] = static_cast<std::uint8_t>(any);
    }
    for (std::int64_t i = count; i < kBlockElements; ++i)
        inside[i] = 0;
    return {{below0, below1, below2, below3}, within};
}

ASSAY_CLONES std::uint64_t maxUlp(const ErrorBlock& block)
{
    const std::int64_t* reference = block.referenceOrder.data();
    const std::int64_t* candidate = block.candidateOrder.data();
    std::uint64_t largest = 0;
    for (std::int64_t i = 0; i < block.count; ++i) {
        // Unsigned subtraction: the distance of two int64 needs all 64 bits.
        const auto a = static_cast<std::uint64_t>(reference[i]);
        const auto b = static_cast<std::uint64_t>(candidate[i]);
        const std::uint64_t distance = reference[i] > candidate[i] ? a - b : b - a;
        largest = distance > largest ? distance : largest;
    }
    return largest;
}

ASSAY_CLONES RankCounts rank(const ErrorBlock& block, double low, double high)
{
    const double* absolute = block.absolute.data();
    std::int64_t below = 0, equal = 0, upTo = 0;
    for (std::int64_t i = 0; i < block.count; ++i) {
        below += static_cast<std::int64_t>(absolute[i] < low);
        equal += static_cast<std::int64_t>(absolute[i] == low);
        upTo += static_cast<std::int64_t>(absolute[i] <= high);
    }
    return {below, equal, upTo};
}

} // namespace assay::tensor

// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/error_block.h"

#include <algorithm>
#include <cmath>

// The loops are written so that the compiler turns them into vectors without reordering a sum; each clone gives the same bits
// because -ffp-contract=off keeps it from fusing a multiplication into an addition.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define ASSAY_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ASSAY_CLONES
#endif

namespace assay::tensor {

namespace {

constexpr std::int64_t kLanes = 8;
using Lanes = std::array<double, kLanes>;

double sumOf(const Lanes& lanes)
{
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

/// Pads the last partial vector with pairs that measure zero, so that the loops below need no tail.
std::int64_t padded(ErrorBlock& block)
{
    const std::int64_t whole = (block.count + kLanes - 1) / kLanes * kLanes;
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
    Lanes sum{}, squares{}, largest{}, relative{};
    std::array<std::int64_t, kLanes> undefined{};
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        for (std::int64_t j = 0; j < kLanes; ++j) {
            const double error = std::fabs(candidate[i + j] - reference[i + j]);
            absolute[i + j] = error;
            sum[j] += error;
            squares[j] += error * error;
            largest[j] = error > largest[j] ? error : largest[j];
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
    result.sum = sumOf(sum);
    result.sumOfSquares = sumOf(squares);
    result.maxAbsolute = *std::max_element(largest.begin(), largest.end());
    result.maxRelative = *std::max_element(relative.begin(), relative.end());
    for (const std::int64_t count : undefined)
        result.relativeUndefined += count;
    return result;
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

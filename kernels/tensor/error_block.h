// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

/// The inner loops of compare(): one block of finite pairs at a time, small enough for the first cache levels, wide enough for
/// vectors.
namespace assay::tensor {

inline constexpr std::int64_t kBlockElements = 1024;

/// A block's finite pairs, values as fp64 and as order-preserving integers of the reference's dtype.
struct ErrorBlock {
    std::int64_t count = 0;
    alignas(64) std::array<double, kBlockElements> reference;
    alignas(64) std::array<double, kBlockElements> candidate;
    alignas(64) std::array<double, kBlockElements> absolute; ///< filled by measure()
    alignas(64) std::array<std::int64_t, kBlockElements> referenceOrder;
    alignas(64) std::array<std::int64_t, kBlockElements> candidateOrder;
};

struct BlockErrors {
    double sum = 0;
    double sumOfSquares = 0;
    double maxAbsolute = 0;
    double maxRelative = 0;
    std::int64_t relativeUndefined = 0;
};

/// Fills block.absolute and returns the block's sums and maxima. Sums run in eight fixed lanes, so that every machine and every
/// vector width adds in the same order.
BlockErrors measure(ErrorBlock& block);

/// Largest ulp distance of the block.
std::uint64_t maxUlp(const ErrorBlock& block);

/// How many of the block's absolute errors lie below @p low, equal it, and lie at or below @p high.
struct RankCounts {
    std::int64_t below = 0;
    std::int64_t equal = 0;
    std::int64_t upTo = 0;
};
RankCounts rank(const ErrorBlock& block, double low, double high);

} // namespace assay::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

/// The inner loops of compare(): one block of finite pairs at a time, small enough for the first cache levels, wide enough for
/// vectors.
namespace assay::tensor {

inline constexpr std::int64_t kBlockElements = 1024;
inline constexpr std::int64_t kSumLanes = 128; ///< fold.h says what they are

/// A block's pairs, values as fp64 and as order-preserving integers of the reference's dtype. A pair that is not finite stands
/// there as two equal values.
struct ErrorBlock {
    std::int64_t count = 0;
    std::vector<std::int32_t> masked; ///< places of the pairs that are not finite
    alignas(64) std::array<double, kBlockElements> reference;
    alignas(64) std::array<double, kBlockElements> candidate;
    alignas(64) std::array<double, kBlockElements> absolute;    ///< filled by measure(), NaN where masked
    alignas(64) std::array<std::uint32_t, kBlockElements> high; ///< upper half of each absolute error's bits, see splitHigh()
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

/// Fills block.high. Errors order like their upper halves, which are half as many bytes to compare; a masked place has one above
/// every error's.
void splitHigh(ErrorBlock& block);

/// Fills block.absolute and block.high and returns the block's sums and maxima. Sums run in fixed lanes, so that every machine
/// and every vector width adds in the same order.
BlockErrors measure(ErrorBlock& block);

/// Largest ulp distance of the block.
std::uint64_t maxUlp(const ErrorBlock& block);

/// Four ranges of upper halves at once.
struct HighRanges {
    std::array<std::uint32_t, 4> low{0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF};
    std::array<std::uint32_t, 4> width{}; ///< 0: nothing lies inside
};
struct Sifted {
    std::array<std::uint32_t, 4> below{}; ///< errors whose upper half lies below the range
    std::uint32_t inside = 0;             ///< errors inside any of them
};
/// @param inside  set to 1 where an error lies inside any range, to 0 elsewhere; filled up with 0 to kBlockElements
Sifted sift(const ErrorBlock& block, const HighRanges& ranges, std::uint8_t* inside);

/// How many of the block's absolute errors lie below @p low, equal it, and lie at or below @p high.
struct RankCounts {
    std::int64_t below = 0;
    std::int64_t equal = 0;
    std::int64_t upTo = 0;
};
RankCounts rank(const ErrorBlock& block, double low, double high);

} // namespace assay::tensor

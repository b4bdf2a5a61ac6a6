// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/plan/tiles.h"

#include <algorithm>

/// Where the operator's device kernels keep what in shared memory, in bytes from its start.
namespace assay::gdn::plan {

inline constexpr int kSharedBytesSm80 = 163 * 1024;
inline constexpr int kSharedBytesSm90 = 227 * 1024; ///< sm_100 has as much

/// A part of shared memory.
struct Span {
    int first = 0;
    int bytes = 0;
    constexpr int end() const { return first + bytes; }
};

constexpr bool overlap(const Span& a, const Span& b)
{
    return a.first < b.end() && b.first < a.end();
}

/// No two of @p spans, all of which are alive at the same time, share a byte, and each starts where 16 bytes may be copied to.
template <typename... Spans> constexpr bool areDisjoint(const Spans&... spans)
{
    const Span all[] = {spans...};
    const int count = sizeof...(spans);
    for (int i = 0; i < count; ++i) {
        if (all[i].first % 16 != 0)
            return false;
        for (int j = 0; j < i; ++j) {
            if (overlap(all[i], all[j]))
                return false;
        }
    }
    return true;
}

/// Elements from a row of 16-bit elements to the next.
constexpr int elementStride(int columns)
{
    return columns + kPadding;
}

/// How the rows of a tile of 16-bit elements lie, so that eight of them are read from different banks.
enum class Rows {
    Padded, ///< elementStride() apart
    Mixed   ///< one behind the other, a row's pieces of 16 bytes in an order that depends on the row; a tile starts at kLineBytes
};
inline constexpr int kLineBytes = 128; ///< of memory and of all banks: a line copied to one line takes least time

template <Rows Kind> constexpr int rowStride(int columns)
{
    return Kind == Rows::Padded ? elementStride(columns) : columns;
}

/// The element of a tile's @p row and @p column. Where @p column is the bitwise exclusive or of several terms, so is what it
/// comes to. Rows that are a multiple of eight apart have their columns in the same order.
template <Rows Kind, int Columns> constexpr int placeIn(int row, int column)
{
    if constexpr (Kind == Rows::Padded)
        return row * elementStride(Columns) + column;
    constexpr int kRowsOfLine = Columns < kLineBytes / 2 ? kLineBytes / 2 / Columns : 1, kPieces = 8 / kRowsOfLine;
    return row * Columns + (column ^ row / kRowsOfLine % kPieces * 8);
}

/// The element of a tile of what a scan's warps tell each other. Its rows are read eight side by side, and two of each eight:
/// both lie in different banks.
template <int Columns> constexpr int placeOfValue(int value, int column)
{
    static_assert(Columns >= kLineBytes / 2);
    return value * Columns + (column ^ value % 8 * 8 ^ value / 8 % 4 * 16);
}

constexpr int floatStride(int columns)
{
    return columns + kFloatPadding;
}

/// fp32 rows that the lanes of a tensor core's result read and write as pairs.
constexpr int pairStride(int columns)
{
    return columns + kPairPadding;
}

constexpr Span elementTile(int first, int rows, int columns)
{
    return {first, rows * elementStride(columns) * 2};
}

constexpr Span mixedTile(int first, int rows, int columns)
{
    return {first, rows * columns * 2};
}

constexpr Span floatTile(int first, int rows, int columns)
{
    return {first, rows * floatStride(columns) * 4};
}

constexpr Span pairTile(int first, int rows, int columns)
{
    return {first, rows * pairStride(columns) * 4};
}

constexpr Span floats(int first, int count)
{
    return {first, count * 4};
}

/// Mixed tiles must.
template <typename... Spans> constexpr bool startLines(const Spans&... spans)
{
    return ((spans.first % kLineBytes == 0) && ...);
}

/// Scores, their inverse, and everything of a chunk that does not depend on the state.
template <int K, int V> struct PrepareShared {
    static constexpr int kHalf = kChunk / 2; ///< tokens of a halving on either side, over the whole chunk
    /// Operands of the scores: for each halving the later halves' queries, their b k and the earlier halves' keys, decayed to
    /// where they meet; or q, b k and k of the chunk, where a token has one decay.
    static constexpr Span operands = elementTile(0, kHalvings * 3 * kHalf, K);
    static constexpr Span erases = elementTile(0, kChunk, K);          ///< - b k 2^gamma, once the scores are known
    static constexpr Span keys = elementTile(erases.end(), kChunk, K); ///< k 2^(gamma_C - gamma)
    static constexpr Span writes = elementTile(keys.end(), kChunk, V); ///< w v
    static constexpr Span outputGrads = elementTile(writes.end(), kChunk, V);
    static constexpr Span writeGrads = elementTile(outputGrads.end(), kChunk, V); ///< scores^T do
    static constexpr Span inverse = elementTile(writeGrads.end(), kChunk, kChunk);
    static constexpr Span inverseRest = elementTile(inverse.end(), kChunk, kChunk); ///< what rounding the inverse left
    static constexpr int kCommon = std::max(operands.end(), inverseRest.end());

    static constexpr Span query = elementTile(kCommon, kChunk, kChunk);
    static constexpr Span nearErase = floatTile(query.end(), kChunk, kNearBlock); ///< of the pairs of eight tokens
    static constexpr Span erase = elementTile(nearErase.end(), kChunk, kChunk);   ///< of the others
    static constexpr Span eraseRest = elementTile(erase.end(), kChunk, kChunk);   ///< what rounding them left
    static constexpr Span groupDecay = floats(erase.first, kGroups* K);           ///< of a group's tokens, added up
    static constexpr Span groupGamma = floats(groupDecay.end(), kGroups* K);      ///< gamma of a group's first token
    static constexpr Span lastGamma = floats(eraseRest.end(), K);
    static constexpr Span tokenGamma = floats(lastGamma.end(), kChunk); ///< where a token has one decay
    static constexpr int kBytes = tokenGamma.end();

    static_assert(areDisjoint(operands, query, nearErase, groupDecay, groupGamma, lastGamma, tokenGamma),
                  "parts of the decays overlap");
    static_assert(areDisjoint(operands, query, nearErase, erase, eraseRest, tokenGamma), "parts of the scores overlap");
    static_assert(areDisjoint(erases, keys, writes, outputGrads, writeGrads, inverse, inverseRest, query, nearErase, erase,
                              eraseRest),
                  "parts of the products overlap");
    static_assert(elementTile(0, 3 * kChunk, K).end() <= operands.bytes, "a chunk's tokens take more than its halvings");
    static_assert(groupGamma.end() <= eraseRest.end(), "sums of decays reach beyond the scores whose place they have");
    static_assert(kBytes <= kSharedBytesSm80, "preparing a chunk takes more shared memory than a block of sm_80 has");
};

/// The state from chunk to chunk. A stage has what one chunk brings; behind the stages lies what its warps
/// tell each other.
template <int K> struct ForwardScanShared {
    static constexpr Span reads = mixedTile(0, kChunk, K); ///< w
    static constexpr Span own = mixedTile(reads.end(), kChunk, kScanValues);
    static constexpr Span decay = floats(own.end(), K);
    static constexpr Span adds = mixedTile(decay.end(), kChunk, K); ///< k
    static constexpr int kStageBytes = adds.end();

    static constexpr Span entering
        = mixedTile(kStages * kStageBytes, kScanValues, K); ///< the state before a step; see placeOfValue()
    static constexpr Span passed = mixedTile(entering.end(), kScanValues, kChunk);
    static constexpr int kBytes = passed.end();

    static_assert(areDisjoint(reads, own, decay, adds), "parts of the forward scan overlap");
    static_assert(startLines(reads, own, adds) && kStageBytes % kLineBytes == 0, "a mixed tile must start with a line");
    static_assert(kBytes <= kSharedBytesSm80, "the forward scan takes more shared memory than a block of sm_80 has");
};

/// The state's gradient, from the last chunk to the first: reads is y, adds is e.
template <int K> struct ReverseScanShared : ForwardScanShared<K> {
    using Forward = ForwardScanShared<K>;
    static constexpr Span q = mixedTile(Forward::kStageBytes, kChunk, K);
    static constexpr Span outputGrad = mixedTile(q.end(), kChunk, kScanValues);
    static constexpr int kStageBytes = outputGrad.end();

    static constexpr Span entering = mixedTile(kStages * kStageBytes, kScanValues, K);
    static constexpr Span passed = mixedTile(entering.end(), kScanValues, kChunk);
    static constexpr int kBytes = passed.end();

    static_assert(areDisjoint(Forward::reads, Forward::own, Forward::decay, Forward::adds, q, outputGrad),
                  "parts of the reverse scan overlap");
    static_assert(startLines(q, outputGrad) && kStageBytes % kLineBytes == 0, "a mixed tile must start with a line");
    static_assert(kBytes <= kSharedBytesSm80, "the reverse scan takes more shared memory than a block of sm_80 has");
};

/// o of a chunk.
template <int K, int V> struct OutputShared {
    static constexpr Span q = elementTile(0, kChunk, K);
    static constexpr Span state = elementTile(q.end(), K, V);
    static constexpr Span scores = elementTile(state.end(), kChunk, kChunk);
    static constexpr Span writes = elementTile(scores.end(), kChunk, V);
    static constexpr int kBytes = writes.end();

    static_assert(areDisjoint(q, state, scores, writes), "parts of the output overlap");
    static_assert(kBytes <= kSharedBytesSm80, "the output takes more shared memory than a block of sm_80 has");
};

/// Gradients of a chunk's inputs: products with states, then what pairs of distant tokens pass, then everything of one channel
/// in one place. Each takes the room of the one before.
template <int V> struct GradientShared {
    static constexpr Span q = elementTile(0, kChunk, kChannelTile);       ///< later dq
    static constexpr Span k = elementTile(q.end(), kChunk, kChannelTile); ///< later dk
    static constexpr Span b = elementTile(k.end(), kChunk, kChannelTile); ///< later db

    static constexpr Span writes = elementTile(0, kChunk, V); ///< it and the next are done with first: tokens come in their place
    static constexpr Span stateGrad = elementTile(writes.end(), kChannelTile, V);
    static constexpr Span outputGrad = elementTile(std::max(stateGrad.end(), b.end()), kChunk, V);
    static constexpr Span p = elementTile(outputGrad.end(), kChunk, V);
    static constexpr Span state = elementTile(p.end(), kChannelTile, V);

    static constexpr Span gamma = pairTile(b.end(), kChunk, kChannelTile);
    static constexpr Span farKeys = elementTile(gamma.end(), kFarRows, kChannelTile);
    static constexpr Span farQueries = elementTile(farKeys.end(), kFarRows, kChannelTile);
    static constexpr Span farErases = elementTile(farQueries.end(), kFarRows, kChannelTile);
    static constexpr Span erases = elementTile(farKeys.first, kChunk, kChannelTile); ///< b k, where a token has one decay

    static constexpr Span query = pairTile(gamma.end(), kChunk, kChannelTile); ///< later dg
    static constexpr Span erase = pairTile(query.end(), kChunk, kChannelTile);
    static constexpr Span key = pairTile(erase.end(), kChunk, kChannelTile);
    static constexpr int kSums = 2 * kSubBlocks + 3;
    static constexpr Span sums = floats(key.end(), kSums* kChannelTile);

    static constexpr Span queryGrad = elementTile(std::max(state.end(), farErases.end()), kChunk, kChunk);
    static constexpr Span eraseGrad = elementTile(queryGrad.end(), kChunk, kChunk);
    static constexpr Span nearGrads = floats(std::max(eraseGrad.end(), sums.end()), kSubBlocks* kSubBlock* kSubBlock * 2);
    static constexpr int kLeavingParts = kGradientThreads / kChannelTile;
    static constexpr Span leaving = floats(nearGrads.end(), kLeavingParts* kChannelTile);
    static constexpr Span tokenGamma = floats(leaving.end(), kChunk); ///< where a token has one decay
    static constexpr int kBytes = tokenGamma.end();

    static_assert(areDisjoint(q, k, b, outputGrad, p, state, queryGrad, eraseGrad, nearGrads, leaving),
                  "tokens on their way overlap operands of the products with states");
    static_assert(areDisjoint(outputGrad, writes, p, state, stateGrad, queryGrad, eraseGrad, nearGrads, leaving, tokenGamma),
                  "operands of the products with states overlap");
    static_assert(areDisjoint(q, k, b, gamma, farKeys, farQueries, farErases, queryGrad, eraseGrad, nearGrads, leaving,
                              tokenGamma),
                  "operands of the products of pairs overlap");
    static_assert(areDisjoint(q, k, b, gamma, query, erase, key, sums, nearGrads, leaving), "what a channel is made of overlaps");
    static_assert(kBytes <= kSharedBytesSm80, "the gradients take more shared memory than a block of sm_80 has");
    static_assert(2 * (kBytes + 1024) <= kSharedBytesSm90 + 1024, "two blocks of the gradients must fit on a processor of sm_90");
};

} // namespace assay::gdn::plan

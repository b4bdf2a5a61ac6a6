// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/matrix.h"
#include "kernels/gdn/plan/shared_memory.h"

/// The inverse of a chunk's unit lower triangular system by halves: [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1 C^-1].
///
/// Numbers are kept as a rounded element and what rounding left, rounded too: a product of three of the four parts is then as
/// good as one of fp32 to some 2^-16, and runs on tensor cores.
namespace assay::gdn::cuda {

/// Two tiles of the same shape, what is rounded and the rest.
template <typename Element> struct SplitTile {
    Element *rounded, *rest;
    ASSAY_DEVICE SplitTile from(int place) const { return {rounded + place, rest + place}; }
};

/// Two neighbours in both parts.
struct SplitPair {
    std::uint32_t rounded, rest;
};

template <typename Element> ASSAY_DEVICE SplitPair split(float first, float second)
{
    const std::uint32_t rounded = pack(first, second, Element{});
    const Pair pair = unpack<Element>(rounded);
    return {rounded, pack(first - pair.first, second - pair.second, Element{})};
}

template <typename Element> ASSAY_DEVICE void storeSplit(const SplitTile<Element>& to, float first, float second)
{
    const SplitPair pair = split<Element>(first, second);
    *reinterpret_cast<std::uint32_t*>(to.rounded) = pair.rounded;
    *reinterpret_cast<std::uint32_t*>(to.rest) = pair.rest;
}

/// What a product takes from one of its factors: 16x16 of both parts.
struct SplitPart {
    std::uint32_t rounded[4], rest[4];
};

template <typename Element, int Half> class Inverse {
    static constexpr int kStride = plan::elementStride(plan::kChunk);
    static constexpr int kBlock = plan::kSubBlock;
    static constexpr int kSteps = Half / kBlock;

public:
    /// Sets 16 rows and 16 columns of the block below two inverted ones of Half rows; by one warp.
    /// @param inverse, erase  first elements of the two blocks' square
    ASSAY_DEVICE static void setBelow(const SplitTile<Element>& inverse, const SplitTile<Element>& erase, int row, int column)
    {
        float passed[1][kSteps * 2][4], results[1][2][4];
        clear(passed);
        clear(results);
        SplitPart left, right;
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
            if (step * kBlock > row) // above the diagonal nothing was written
                break;
            load(left, inverse.from((Half + row) * kStride + Half + step * kBlock), false);
#pragma unroll
            for (int pair = 0; pair < kSteps; ++pair) {
                load(right, erase.from((Half + step * kBlock) * kStride + pair * kBlock), true);
                add(passed[0] + pair * 2, left, right);
            }
        }
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
            if (step * kBlock < column)
                continue;
            setLeft(left, passed[0] + step * 2);
            load(right, inverse.from(step * kBlock * kStride + column), true);
            add(results[0], left, right);
        }
        const SplitTile<Element> to = inverse.from((Half + row) * kStride + column);
        forEachPair(results,
                    [&](int r, int c, float first, float second) { storeSplit(to.from(r * kStride + c), -first, -second); });
    }

private:
    ASSAY_DEVICE static void load(SplitPart& part, const SplitTile<Element>& tile, bool isRight)
    {
        if (isRight) {
            loadRight<Order::Plain>(part.rounded, tile.rounded, kStride);
            loadRight<Order::Plain>(part.rest, tile.rest, kStride);
        } else {
            loadLeft<Order::Plain>(part.rounded, tile.rounded, kStride);
            loadLeft<Order::Plain>(part.rest, tile.rest, kStride);
        }
    }

    /// Two tiles of results lie in a lane as a left factor's 16 columns do.
    ASSAY_DEVICE static void setLeft(SplitPart& part, const float (*tiles)[4])
    {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const SplitPair pair = split<Element>(tiles[i / 2][i % 2 * 2], tiles[i / 2][i % 2 * 2 + 1]);
            part.rounded[i] = pair.rounded;
            part.rest[i] = pair.rest;
        }
    }

    ASSAY_DEVICE static void add(float (*tiles)[4], const SplitPart& left, const SplitPart& right)
    {
#pragma unroll
        for (int tile = 0; tile < 2; ++tile) {
            multiply(tiles[tile], left.rounded, right.rounded[tile * 2], right.rounded[tile * 2 + 1], Element{});
            multiply(tiles[tile], left.rest, right.rounded[tile * 2], right.rounded[tile * 2 + 1], Element{});
            multiply(tiles[tile], left.rounded, right.rest[tile * 2], right.rest[tile * 2 + 1], Element{});
        }
    }
};

/// The inverse of four blocks of 8 rows that follow each other on the diagonal, and zeros right of the first and the third; by
/// one warp, a lane a column.
/// @param inverse  first element of the first one's square
/// @param erase    what is below its diagonal, [32][8] in fp32
template <typename Element> ASSAY_DEVICE void invertEights(const SplitTile<Element>& inverse, const float* erase)
{
    constexpr int kBlock = plan::kNearBlock, kStride = plan::elementStride(plan::kChunk);
    struct alignas(16) Zeros {
        std::uint32_t words[4];
    };
    const int block = lane() / kBlock * kBlock, column = lane() % kBlock;
    const float* const from = erase + block * plan::floatStride(kBlock);
    const SplitTile<Element> to = inverse.from(block * (kStride + 1) + column);
    float x[kBlock];
#pragma unroll
    for (int row = 0; row < kBlock; ++row) {
        float sums[2] = {row == column ? 1.0F : 0.0F, 0}; // two, as they wait less for each other
#pragma unroll
        for (int m = 0; m < row; m += 4) {
            const Quad quad = loadQuad(from + row * plan::floatStride(kBlock) + m);
#pragma unroll
            for (int i = 0; i < 4 && m + i < row; ++i)
                sums[i % 2] -= quad.of[i] * x[m + i];
        }
        x[row] = sums[0] + sums[1];
        const SplitPair pair = split<Element>(x[row], 0);
        to.rounded[row * kStride].bits = static_cast<std::uint16_t>(pair.rounded);
        to.rest[row * kStride].bits = static_cast<std::uint16_t>(pair.rest);
    }
    Element* const part = lane() / kBlock % 2 == 0 ? inverse.rounded : inverse.rest;
    const int square = lane() / (2 * kBlock) * (2 * kBlock);
    *reinterpret_cast<Zeros*>(part + square * (kStride + 1) + column * kStride + kBlock) = {};
}

/// c += two products of 8 x 8 blocks, the second in rows 8 to 15.
/// @param left   both left blocks
/// @param right  the first block's rounded part and its rest, then the second's
template <typename Element>
ASSAY_DEVICE void addEights(float (&c)[4], const SplitPair (&left)[2], const std::uint32_t (&right)[4])
{
    const std::uint32_t rounded[4]{left[0].rounded, 0, 0, left[1].rounded}, rest[4]{left[0].rest, 0, 0, left[1].rest};
    multiply(c, rounded, right[0], right[2], Element{});
    multiply(c, rest, right[0], right[2], Element{});
    multiply(c, rounded, right[1], right[3], Element{});
}

/// Sets the blocks below the first and the third of invertEights(); by one warp.
/// @param inverse, erase  first elements of the squares of all four
template <typename Element> ASSAY_DEVICE void joinEights(const SplitTile<Element>& inverse, const SplitTile<Element>& erase)
{
    constexpr int kBlock = plan::kNearBlock, kStride = plan::elementStride(plan::kChunk);
    const bool isRest = lane() / kBlock % 2 != 0;
    const int row = (lane() / (2 * kBlock) * (2 * kBlock)) * (kStride + 1) + lane() % kBlock * kStride;
    const Element* const own = (isRest ? inverse.rest : inverse.rounded) + row;
    std::uint32_t first[4], last[4], below[4];
    loadTransposedMatrices(first, own);
    loadMatrices(last, own + kBlock * (kStride + 1));
    loadTransposedMatrices(below, (isRest ? erase.rest : erase.rounded) + row + kBlock * kStride);
    float passed[4]{}, results[4]{};
    addEights<Element>(passed, {{last[0], last[1]}, {last[2], last[3]}}, below);
    addEights<Element>(results, {split<Element>(passed[0], passed[1]), split<Element>(passed[2], passed[3])}, first);
    const SplitTile<Element> to = inverse.from((kBlock + accumulatorRow()) * kStride + accumulatorColumn());
    storeSplit(to, -results[0], -results[1]);
    storeSplit(to.from(2 * kBlock * (kStride + 1)), -results[2], -results[3]);
}

/// Inverts half of a chunk's system; by one warp.
/// @param inverse, erase  first elements of the half's squares; erase has what lies outside of its diagonal blocks of 8
/// @param nearErase       those blocks, [32][8] in fp32
template <typename Element>
ASSAY_DEVICE void invertHalf(const SplitTile<Element>& inverse, const SplitTile<Element>& erase, const float* nearErase)
{
    invertEights(inverse, nearErase);
    syncWarp();
    joinEights(inverse, erase);
    syncWarp();
    Inverse<Element, plan::kChunk / 4>::setBelow(inverse, erase, 0, 0);
}

} // namespace assay::gdn::cuda

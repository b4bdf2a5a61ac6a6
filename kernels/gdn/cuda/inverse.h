// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/matrix.h"
#include "kernels/gdn/plan/shared_memory.h"

/// The inverse of a chunk's unit lower triangular system by halves: [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1 C^-1].
///
/// Numbers are kept as a rounded element and what rounding left, rounded too: a product of three of the four parts is then as good
/// as one of fp32 to some 2^-16, and runs on tensor cores.
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
        forEachPair(results, [&](int r, int c, float first, float second) {
            storeSplit(to.from(r * kStride + c), -first, -second);
        });
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

/// Inverts two blocks of 16 rows that follow each other on the diagonal; by one warp, a lane a column.
/// @param inverse  first element of the first one's square
/// @param erase    what is below its diagonal, [32][16] in fp32
template <typename Element> ASSAY_DEVICE void invertTwo(const SplitTile<Element>& inverse, const float* erase)
{
    constexpr int kBlock = plan::kSubBlock, kStride = plan::elementStride(plan::kChunk);
    const int block = lane() / kBlock * kBlock, column = lane() % kBlock;
    const float* from = erase + block * plan::floatStride(kBlock);
    const SplitTile<Element> to = inverse.from(block * kStride + block + column);
    float x[kBlock];
#pragma unroll
    for (int row = 0; row < kBlock; ++row) {
        float sums[4] = {row == column ? 1.0F : 0.0F, 0, 0, 0}; // four, as they wait less for each other
#pragma unroll
        for (int m = 0; m < row; m += 4) {
            const Quad quad = loadQuad(from + row * plan::floatStride(kBlock) + m);
#pragma unroll
            for (int i = 0; i < 4 && m + i < row; ++i)
                sums[i] -= quad.of[i] * x[m + i];
        }
        x[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        const SplitPair pair = split<Element>(x[row], 0);
        to.rounded[row * kStride].bits = static_cast<std::uint16_t>(pair.rounded);
        to.rest[row * kStride].bits = static_cast<std::uint16_t>(pair.rest);
    }
}

} // namespace assay::gdn::cuda

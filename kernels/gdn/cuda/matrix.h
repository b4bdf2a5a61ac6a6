// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/primitives.h"
#include "kernels/gdn/plan/shared_memory.h"

/// Products of matrices in shared memory, by one warp.
namespace assay::gdn::cuda {

ASSAY_DEVICE int lane()
{
    return static_cast<int>(static_cast<unsigned>(threadIndex()) % 32U); // of unsigned: a remainder is then a mask
}
ASSAY_DEVICE int warp()
{
    return static_cast<int>(static_cast<unsigned>(threadIndex()) / 32U);
}

/// A warp's results are arrays [row tile][tile][4] of 16 rows by 8 columns. Element [2 r + c] lies in row accumulatorRow() + 8 r
/// and column accumulatorColumn() + c of its tile.
ASSAY_DEVICE int accumulatorRow()
{
    return lane() / 4;
}
ASSAY_DEVICE int accumulatorColumn()
{
    return lane() % 4 * 2;
}

/// As it lies in memory, or with rows and columns swapped.
enum class Order { Plain, Transposed };

/// A 16x16 part of the left factor; @p p is its first element.
template <Order A, typename Element> ASSAY_DEVICE void loadLeft(std::uint32_t (&r)[4], const Element* p, int stride)
{
    const int l = lane();
    if constexpr (A == Order::Plain)
        loadMatrices(r, p + (l % 16) * stride + l / 16 * 8);
    else
        loadTransposedMatrices(r, p + (l % 8 + l / 16 * 8) * stride + l / 8 % 2 * 8);
}

/// A 16x16 part of the right factor, in two halves of 8 columns: r[0] r[1] and r[2] r[3].
template <Order B, typename Element> ASSAY_DEVICE void loadRight(std::uint32_t (&r)[4], const Element* p, int stride)
{
    const int l = lane();
    if constexpr (B == Order::Plain)
        loadTransposedMatrices(r, p + (l % 16) * stride + l / 16 * 8);
    else
        loadMatrices(r, p + (l % 8 + l / 16 * 8) * stride + l / 8 % 2 * 8);
}

/// The same of a mixed tile of Columns columns. @p row is a multiple of 8, @p column of 16. The row stands apart, so that of a
/// number that the compiler knows nothing is left but the instruction's own offset.
template <int Columns, typename Element>
ASSAY_DEVICE void loadMixedLeft(std::uint32_t (&r)[4], const Element* tile, int row, int column)
{
    const int l = lane();
    loadTransposedMatrices(
        r, tile + plan::placeIn<plan::Rows::Mixed, Columns>(l % 8 + l / 16 * 8, column ^ l / 8 % 2 * 8) + row * Columns);
}
template <Order B, int Columns, typename Element>
ASSAY_DEVICE void loadMixedRight(std::uint32_t (&r)[4], const Element* tile, int row, int column)
{
    const int l = lane();
    if constexpr (B == Order::Plain)
        loadTransposedMatrices(r, tile + plan::placeIn<plan::Rows::Mixed, Columns>(l % 16, column ^ l / 16 * 8) + row * Columns);
    else
        loadMatrices(
            r, tile + plan::placeIn<plan::Rows::Mixed, Columns>(l % 8 + l / 16 * 8, column ^ l / 8 % 2 * 8) + row * Columns);
}

/// results += a b for RowTiles times 16 rows and Tiles times 8 columns, Tiles even, over Steps times 16 inner elements.
///
/// @param a  first element of the left factor: rows x inner, or inner x rows where transposed
/// @param b  first element of the right factor: inner x columns, or columns x inner where transposed
template <int Steps, Order A, Order B, int RowTiles, int Tiles, typename Element>
ASSAY_DEVICE void addProduct(float (&results)[RowTiles][Tiles][4], const Element* a, int aStride, const Element* b, int bStride)
{
    static_assert(Tiles % 2 == 0);
    // Where a warp has all rows, its results leave no registers for operands of several steps.
#pragma unroll(RowTiles > 2 ? 1 : Steps)
    for (int step = 0; step < Steps; ++step) {
        std::uint32_t right[Tiles / 2][4];
#pragma unroll
        for (int pair = 0; pair < Tiles / 2; ++pair)
            loadRight<B>(right[pair],
                         B == Order::Plain ? b + step * 16 * bStride + pair * 16 : b + pair * 16 * bStride + step * 16, bStride);
#pragma unroll
        for (int row = 0; row < RowTiles; ++row) {
            std::uint32_t left[4];
            loadLeft<A>(left, A == Order::Plain ? a + row * 16 * aStride + step * 16 : a + step * 16 * aStride + row * 16,
                        aStride);
#pragma unroll
            for (int tile = 0; tile < Tiles; ++tile)
                multiply(results[row][tile], left, right[tile / 2][tile % 2 * 2], right[tile / 2][tile % 2 * 2 + 1], Element{});
        }
    }
}

template <int RowTiles, int Tiles> ASSAY_DEVICE void clear(float (&results)[RowTiles][Tiles][4])
{
#pragma unroll
    for (int row = 0; row < RowTiles; ++row) {
#pragma unroll
        for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
                results[row][tile][i] = 0;
        }
    }
}

/// Calls @p use(row, column, first, second) for every pair of neighbours, with the place in the part; use may change the pair.
template <int RowTiles, int Tiles, typename Use> ASSAY_DEVICE void forEachPair(float (&results)[RowTiles][Tiles][4], Use use)
{
#pragma unroll
    for (int row = 0; row < RowTiles; ++row) {
#pragma unroll
        for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
            for (int half = 0; half < 2; ++half)
                use(row * 16 + half * 8 + accumulatorRow(), tile * 8 + accumulatorColumn(), results[row][tile][half * 2],
                    results[row][tile][half * 2 + 1]);
        }
    }
}

/// Rounds two neighbours into memory; @p p is the first and lies at a multiple of 4 bytes.
template <typename Element> ASSAY_DEVICE void storePair(Element* p, float first, float second)
{
    *reinterpret_cast<std::uint32_t*>(p) = pack(first, second, Element{});
}

/// Two neighbours of memory; @p p lies at a multiple of 4 bytes.
struct Pair {
    float first, second;
};
template <typename Element> ASSAY_DEVICE Pair unpack(std::uint32_t bits)
{
    return {toFloat(Element{static_cast<std::uint16_t>(bits)}), toFloat(Element{static_cast<std::uint16_t>(bits >> 16)})};
}
template <typename Element> ASSAY_DEVICE Pair loadPair(const Element* p)
{
    return unpack<Element>(*reinterpret_cast<const std::uint32_t*>(p));
}

/// Two neighbours in fp32, read or written at once; @p p lies at a multiple of 8 bytes.
struct alignas(8) FloatPair {
    float first, second;
};
ASSAY_DEVICE Pair loadFloats(const float* p)
{
    const FloatPair pair = *reinterpret_cast<const FloatPair*>(p);
    return {pair.first, pair.second};
}
ASSAY_DEVICE void storeFloats(float* p, const Pair& pair)
{
    *reinterpret_cast<FloatPair*>(p) = {pair.first, pair.second};
}

/// Four neighbours of memory, read at once.
struct alignas(16) Quad {
    float of[4];
};
/// @param p  at a multiple of 16 bytes
ASSAY_DEVICE Quad loadQuad(const float* p)
{
    return *reinterpret_cast<const Quad*>(p);
}
/// @param p  at a multiple of 8 bytes
template <typename Element> ASSAY_DEVICE Quad loadQuad(const Element* p)
{
    struct alignas(8) Words {
        std::uint32_t low, high;
    };
    const Words words = *reinterpret_cast<const Words*>(p);
    const Pair low = unpack<Element>(words.low), high = unpack<Element>(words.high);
    return {{low.first, low.second, high.first, high.second}};
}
/// Rounds @p x into memory; @p p lies at a multiple of 8 bytes.
template <typename Element> ASSAY_DEVICE void storeQuad(Element* p, const Quad& x)
{
    struct alignas(8) Words {
        std::uint32_t low, high;
    };
    *reinterpret_cast<Words*>(p) = {pack(x.of[0], x.of[1], Element{}), pack(x.of[2], x.of[3], Element{})};
}

/// A warp's 16 rows of a result, rounded, as left factor of a product over their columns: left[step] has 16 of these. They are
/// its first parts; it may have more.
template <typename Element, int Tiles, int Steps>
ASSAY_DEVICE void roundToLeft(const float (&results)[1][Tiles][4], std::uint32_t (&left)[Steps][4])
{
    static_assert(Tiles / 2 <= Steps);
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
        for (int half = 0; half < 2; ++half)
            left[tile / 2][tile % 2 * 2 + half] = pack(results[0][tile][half * 2], results[0][tile][half * 2 + 1], Element{});
    }
}

/// results += left right for the tiles from First on, as many as @p right has.
template <typename Element, int First, int Tiles, int Pairs>
ASSAY_DEVICE void multiplyPairs(float (&results)[1][Tiles][4], const std::uint32_t (&left)[4],
                                const std::uint32_t (&right)[Pairs][4])
{
#pragma unroll
    for (int tile = 0; tile < Pairs * 2; ++tile)
        multiply(results[0][First + tile], left, right[tile / 2][tile % 2 * 2], right[tile / 2][tile % 2 * 2 + 1], Element{});
}

/// results += left b, with the left factor in registers. @p load(step, parts) reads a step's part of b, pairs of tiles as
/// loadRight() has them, one step ahead; @p between(step) stands behind the step's products.
template <typename Element, int Steps, int Tiles, typename Load, typename Between>
ASSAY_DEVICE void addProduct(float (&results)[1][Tiles][4], const std::uint32_t (&left)[Steps][4], Load load, Between between)
{
    std::uint32_t right[2][Tiles / 2][4];
    load(0, right[0]);
#pragma unroll
    for (int step = 0; step < Steps; ++step) {
        if (step + 1 < Steps)
            load(step + 1, right[(step + 1) % 2]);
        multiplyPairs<Element, 0>(results, left[step], right[step % 2]);
        between(step);
    }
}

/// A warp's 16 rows of a result from a mixed tile where they are columns.
template <int Columns, int Tiles, typename Element>
ASSAY_DEVICE void loadTransposed(float (&results)[1][Tiles][4], const Element* tile, int row, int column)
{
#pragma unroll
    for (int step = 0; step < Tiles / 2; ++step) {
        std::uint32_t left[4];
        loadMixedLeft<Columns>(left, tile, row + step * 16, column);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const Pair pair = unpack<Element>(left[i]);
            results[0][step * 2 + i / 2][i % 2 * 2] = pair.first;
            results[0][step * 2 + i / 2][i % 2 * 2 + 1] = pair.second;
        }
    }
}

/// A warp's part of a result, rounded.
/// @p p and @p stride: the part's first element and what lies between its rows.
template <int RowTiles, int Tiles, typename Element>
ASSAY_DEVICE void store(float (&results)[RowTiles][Tiles][4], Element* p, std::int64_t stride)
{
    forEachPair(results,
                [&](int row, int column, float first, float second) { storePair(p + row * stride + column, first, second); });
}

} // namespace assay::gdn::cuda

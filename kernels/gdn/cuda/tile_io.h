// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/arguments.h"
#include "kernels/gdn/cuda/matrix.h"
#include "kernels/gdn/plan/shared_memory.h"

/// Tiles between device and shared memory, by a whole block.
namespace assay::gdn::cuda {

template <typename T> ASSAY_DEVICE T* at(char* shared, plan::Span span)
{
    return reinterpret_cast<T*>(shared + span.first);
}

/// The first row's first channel.
template <typename T> ASSAY_DEVICE const T* rowsOf(const Input& input, const ChunkPlace& place, int head)
{
    return static_cast<const T*>(input.data) + place.batch * input.batch + place.first * input.token + head * input.head;
}

/// Starts to copy @p rows x Columns elements from rows that lie @p stride apart; rows beyond @p present become zero.
template <int Threads, int Columns, typename Element>
ASSAY_DEVICE void copyTile(Element* tile, const Element* from, std::int64_t stride, int rows, int present)
{
    constexpr int kPieces = Columns / 8;
    for (int i = threadIndex(); i < rows * kPieces; i += Threads) {
        const int row = i / kPieces, column = i % kPieces * 8;
        const bool isPresent = row < present;
        copyAsync(tile + row * plan::elementStride(Columns) + column, from + (isPresent ? row * stride + column : 0), isPresent);
    }
}

/// The same of an input, Columns of its channels from @p channel on; its one channel repeated where it has one.
template <int Threads, int Columns, typename Element>
ASSAY_DEVICE void copyInput(Element* tile, const Input& input, const ChunkPlace& place, int head, int channel)
{
    const Element* const from = rowsOf<Element>(input, place, head);
    if (input.channel == 1)
        return copyTile<Threads, Columns>(tile, from + channel, input.token, plan::kChunk, place.rows);
    for (int i = threadIndex(); i < plan::kChunk * Columns; i += Threads) {
        const int row = i / Columns;
        tile[row * plan::elementStride(Columns) + i % Columns] = row < place.rows ? from[row * input.token] : Element{0};
    }
}

/// Writes a tile out to rows that lie @p stride apart, 16 bytes at a time.
template <int Threads, int Columns, typename Element>
ASSAY_DEVICE void writeTile(const Element* tile, Element* to, std::int64_t stride, int rows)
{
    struct alignas(16) Piece {
        std::uint32_t words[4];
    };
    constexpr int kPieces = Columns / 8;
    for (int i = threadIndex(); i < rows * kPieces; i += Threads) {
        const int row = i / kPieces, column = i % kPieces * 8;
        *reinterpret_cast<Piece*>(to + row * stride + column)
            = *reinterpret_cast<const Piece*>(tile + row * plan::elementStride(Columns) + column);
    }
}

/// gamma := the sums of g up to each token, as exponents of 2; rows behind the last token repeat its own. Columns threads work.
template <int Columns> ASSAY_DEVICE void sumDecays(float* gamma, const Input& g, const ChunkPlace& place, int head, int channel)
{
    constexpr float kLog2E = 1.4426950408889634F;
    const int column = threadIndex();
    if (column >= Columns)
        return;
    const float* const from = rowsOf<float>(g, place, head) + (channel + column) * g.channel;
    float sum = 0;
#pragma unroll 8
    for (int row = 0; row < plan::kChunk; ++row) {
        if (row < place.rows)
            sum += from[row * g.token] * kLog2E;
        gamma[row * plan::floatStride(Columns) + column] = sum;
    }
}

} // namespace assay::gdn::cuda

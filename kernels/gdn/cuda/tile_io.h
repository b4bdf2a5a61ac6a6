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

/// Eight neighbours of 16 bits.
struct alignas(16) Piece {
    std::uint32_t words[4];
};

/// Starts to copy Rows x Columns elements of working memory, whose rows lie Stride apart, usually one behind the other. A thread
/// stays in its column, so that only sums remain of the addresses.
/// @param thread  of the Threads that copy
template <int Threads, int Columns, int Rows, int Stride = Columns, plan::Rows Kind = plan::Rows::Padded, typename Element>
ASSAY_DEVICE void copyPacked(Element* tile, const Element* from, int thread = threadIndex())
{
    constexpr int kPieces = Columns / 8, kRows = Threads / kPieces;
    static_assert(Threads % kPieces == 0 && Rows % kRows == 0);
    const int first = thread / kPieces, column = thread % kPieces * 8;
    from += first * Stride + column;
#pragma unroll
    for (int row = 0; row < Rows; row += kRows)
        copyAsync(tile + plan::placeIn<Kind, Columns>(first + row % 8, column) + row / 8 * 8 * plan::rowStride<Kind>(Columns),
                  from + row * Stride);
}

/// The same of a chunk's tokens, Columns of their channels from @p channel on, which lie side by side; rows behind the last token
/// become zero.
template <int Threads, int Columns, plan::Rows Kind = plan::Rows::Padded, typename Element>
ASSAY_DEVICE void copyTokens(Element* tile, const Input& input, const ChunkPlace& place, int head, int channel,
                             int thread = threadIndex())
{
    constexpr int kPieces = Columns / 8, kRows = Threads / kPieces;
    static_assert(Threads % kPieces == 0 && plan::kChunk % kRows == 0);
    const int first = thread / kPieces, column = thread % kPieces * 8;
    const Element* const from = rowsOf<Element>(input, place, head) + channel;
    const Element* source = from + first * input.token + column;
#pragma unroll
    for (int row = 0; row < plan::kChunk; row += kRows) {
        const bool isPresent = first + row < place.rows;
        copyAsync(tile + plan::placeIn<Kind, Columns>(first + row % 8, column) + row / 8 * 8 * plan::rowStride<Kind>(Columns),
                  isPresent ? source : from, isPresent);
        source += kRows * input.token;
    }
}

/// The same of an input that may have one channel, which is repeated then.
template <int Threads, int Columns, plan::Rows Kind = plan::Rows::Padded, typename Element>
ASSAY_DEVICE void copyInput(Element* tile, const Input& input, const ChunkPlace& place, int head, int channel,
                            int thread = threadIndex())
{
    if (input.channel == 1)
        return copyTokens<Threads, Columns, Kind>(tile, input, place, head, channel, thread);
    constexpr int kPieces = Columns / 8, kRows = Threads / kPieces;
    const int first = thread / kPieces, column = thread % kPieces * 8;
    const Element* const from = rowsOf<Element>(input, place, head);
#pragma unroll
    for (int row = first; row < plan::kChunk; row += kRows) {
        const std::uint32_t both = row < place.rows ? from[row * input.token].bits * 0x10001U : 0;
        *reinterpret_cast<Piece*>(tile + plan::placeIn<Kind, Columns>(row, column)) = {{both, both, both, both}};
    }
}

/// What a thread adds up of a chunk's g: some rows of a channel, as exponents of 2.
template <int Threads, int Columns> struct DecayRows {
    static constexpr int kRows = plan::kChunk * Columns / Threads;
    static_assert(Threads % Columns == 0 && plan::kChunk % kRows == 0);
    float of[kRows];
};

/// Starts to read them; all are on their way at once.
template <int Threads, int Columns>
ASSAY_DEVICE void loadDecays(DecayRows<Threads, Columns>& rows, const Input& g, const ChunkPlace& place, int head, int channel)
{
    constexpr int kRows = DecayRows<Threads, Columns>::kRows;
    const int first = threadIndex() / Columns * kRows;
    const float* const from = rowsOf<float>(g, place, head) + first * g.token + (channel + threadIndex() % Columns) * g.channel;
#pragma unroll
    for (int row = 0; row < kRows; ++row)
        rows.of[row] = first + row < place.rows ? from[row * g.token] : 0;
}

/// gamma := the sums of g up to each token, as exponents of 2; rows behind the last token repeat its own. A thread adds up its
/// rows, then what the rows before them come to.
template <int Threads, int Columns, int Stride> ASSAY_DEVICE void addDecays(float* gamma, DecayRows<Threads, Columns>& rows)
{
    constexpr float kLog2E = 1.4426950408889634F;
    constexpr int kRows = DecayRows<Threads, Columns>::kRows, kParts = Threads / Columns;
    const int column = threadIndex() % Columns, part = threadIndex() / Columns;
    rows.of[0] *= kLog2E;
#pragma unroll
    for (int row = 1; row < kRows; ++row)
        rows.of[row] = rows.of[row - 1] + rows.of[row] * kLog2E;
    gamma[(part * kRows + kRows - 1) * Stride + column] = rows.of[kRows - 1];
    syncBlock();
    float before = 0;
#pragma unroll
    for (int earlier = 0; earlier + 1 < kParts; ++earlier)
        before += earlier < part ? gamma[(earlier * kRows + kRows - 1) * Stride + column] : 0;
    syncBlock();
#pragma unroll
    for (int row = 0; row < kRows; ++row)
        gamma[(part * kRows + row) * Stride + column] = before + rows.of[row];
}

} // namespace assay::gdn::cuda

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/tile_io.h"

/// A warp's tokens in registers: a lane has neighbouring channels of each of them, as they lie in memory.
namespace assay::gdn::cuda {

/// Some 16-bit elements, two in a word.
template <int Count> struct alignas(Count * 2) Words {
    static_assert(Count % 2 == 0);
    std::uint32_t of[Count / 2];
};

template <int Count, typename Element> ASSAY_DEVICE Words<Count> packed(const float (&x)[Count])
{
    Words<Count> words;
#pragma unroll
    for (int i = 0; i < Count / 2; ++i)
        words.of[i] = pack(x[2 * i], x[2 * i + 1], Element{});
    return words;
}

template <typename Element, int Count> ASSAY_DEVICE void unpack(float (&x)[Count], const Words<Count>& words)
{
#pragma unroll
    for (int i = 0; i < Count / 2; ++i) {
        const Pair pair = unpack<Element>(words.of[i]);
        x[2 * i] = pair.first;
        x[2 * i + 1] = pair.second;
    }
}

/// Whether Count neighbours of rows that start at @p from and lie @p token elements apart may be read at once.
template <typename T> ASSAY_DEVICE bool mayRead(const T* from, std::int64_t token, int count)
{
    const auto bytes = static_cast<std::uintptr_t>(count * sizeof(T));
    return (reinterpret_cast<std::uintptr_t>(from) | static_cast<std::uintptr_t>(token) * sizeof(T)) % bytes == 0;
}

/// A part of each of plan::kGroup rows that lie @p token elements apart.
template <typename Part, typename T> ASSAY_DEVICE void readRows(Part (&parts)[plan::kGroup], const T* from, std::int64_t token)
{
#pragma unroll
    for (int t = 0; t < plan::kGroup; ++t) {
        parts[t] = *reinterpret_cast<const Part*>(from);
        from += token;
    }
}

/// Brings such rows near that lie @p ahead tokens behind those from @p from on, which may be null.
template <typename T> ASSAY_DEVICE void prefetchRows(const T* from, std::int64_t token, int ahead)
{
    if (!from)
        return;
    from += ahead * token;
#pragma unroll
    for (int t = 0; t < plan::kGroup; ++t) {
        prefetch(from);
        from += token;
    }
}

/// The lane's channels of plan::kGroup tokens from @p first on, zeros behind the chunk's last.
/// @param channel  the lane's first one
/// @return  the first token's, where they were read at once, else null
template <typename Element, int Count>
ASSAY_DEVICE const Element* loadWords(Words<Count> (&tokens)[plan::kGroup], const Input& input, const ChunkPlace& place, int head,
                                      int first, int channel)
{
    const ChunkPlace own{place.batch, place.first + first, place.rows - first, place.sequence};
    const Element* from = rowsOf<Element>(input, own, head);
    if (own.rows >= plan::kGroup && input.channel == 1) {
        from += channel;
        readRows(tokens, from, input.token);
        return from;
    }
    if (input.channel == 0) {
        std::uint32_t one[plan::kGroup]; // all on their way before the first is used
#pragma unroll
        for (int t = 0; t < plan::kGroup; ++t)
            one[t] = t < own.rows ? from[t * input.token].bits : 0;
#pragma unroll
        for (int t = 0; t < plan::kGroup; ++t) {
#pragma unroll
            for (int i = 0; i < Count / 2; ++i)
                tokens[t].of[i] = one[t] * 0x10001U;
        }
        return nullptr;
    }
    from += channel;
#pragma unroll
    for (int t = 0; t < plan::kGroup; ++t) {
        tokens[t] = {};
        if (t < own.rows)
            tokens[t] = *reinterpret_cast<const Words<Count>*>(from + t * input.token);
    }
    return nullptr;
}

/// Some decays.
template <int Count> struct alignas(Count * 4) Decays {
    float of[Count];
};

/// The same of decays.
template <int Count>
ASSAY_DEVICE const float* loadDecays(Decays<Count> (&tokens)[plan::kGroup], const Input& g, const ChunkPlace& place, int head,
                                     int first, int channel)
{
    const ChunkPlace own{place.batch, place.first + first, place.rows - first, place.sequence};
    const float* from = rowsOf<float>(g, own, head) + channel;
    if (own.rows >= plan::kGroup && mayRead(from, g.token, Count)) {
        readRows(tokens, from, g.token);
        return from;
    }
#pragma unroll
    for (int t = 0; t < plan::kGroup; ++t) {
#pragma unroll
        for (int i = 0; i < Count; ++i)
            tokens[t].of[i] = t < own.rows ? from[t * g.token + i] : 0;
    }
    return nullptr;
}

} // namespace assay::gdn::cuda

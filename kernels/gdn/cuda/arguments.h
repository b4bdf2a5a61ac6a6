// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/element.h"

/// What the kernels are given: plain values that host and device lay out alike.
namespace assay::gdn::cuda {

/// An input [B, T, H, channels]; strides count elements, that of channels is 1 or, where one value serves all of them, 0.
struct Input {
    const void* data;
    std::int64_t batch, token, head;
    int channel;
};

/// A chunk's tokens: those of one sequence, at most plan::kChunk of them.
struct ChunkPlace {
    int batch;
    int first; ///< token in the batch row
    int rows;  ///< 0: the entry is not used
    int sequence;
};

struct SequencePlace {
    int firstChunk;
    int chunks;
};

struct Sizes {
    int batch, tokens, heads, keys, values;
    int sequences;
    int chunks;                 ///< entries of the table of chunks; the last may be unused
    const std::int32_t* starts; ///< sequences + 1 offsets in device memory, or nothing: each batch row is a sequence
};

/// Working memory. "slot" is chunk * heads + head.
struct Workspace {
    ChunkPlace* places;       ///< [chunks]
    SequencePlace* sequences; ///< [sequences]
    float* totalDecay;        ///< [slot][K], 2^gamma of the chunk's end
    void* queries;            ///< [slot][64][K], scale q 2^gamma
    void* keysOut;            ///< [slot][64][K], k 2^(gamma_C - gamma)
    void* negErases;          ///< [slot][64][K], - b k 2^gamma
    void* w;                  ///< [slot][64][K], - T b k 2^gamma
    void* y;                  ///< [slot][64][K], T^T k 2^(gamma_C - gamma)
    void* u;                  ///< [slot][64][V], T w v
    void* scores;             ///< [slot][64][64], of queries, with the scale
    void* states;             ///< [slot][K][V], what enters the chunk
    void* writes;             ///< [slot][64][V], u + w h
    void* x;                  ///< [slot][64][V], T^T scores^T do
    void* stateGrads;         ///< [slot][K][V], of what leaves the chunk
    void* p;                  ///< [slot][64][V]
};

struct Arguments {
    Sizes sizes;
    float scale;
    Input q, k, b, g, v, w, outputGrad; ///< 16-bit elements, g in fp32
    const float* initialState;          ///< [N, H, K, V] or nothing
    const float* finalGrad;             ///< [N, H, K, V] or nothing
    Workspace work;
    void* o;            ///< [B, T, H, V]
    float* finalState;  ///< [N, H, K, V] or nothing
    void *dq, *dk, *db; ///< [B, T, H, K]
    void *dv, *dw;      ///< [B, T, H, V]
    float* dg;          ///< [B, T, H, K]
    float* initialGrad; ///< [N, H, K, V] or nothing
};

} // namespace assay::gdn::cuda

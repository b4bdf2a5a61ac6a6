// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/tile_io.h"

/// What needs no other chunk once the states are known: a block a chunk and head.
namespace assay::gdn::cuda {

/// o = scale q 2^gamma h + scores u.
template <typename Element, int K, int V> ASSAY_DEVICE void computeOutput(const Arguments& arguments, int slot, char* shared)
{
    using Shared = plan::OutputShared<K, V>;
    constexpr int kThreads = plan::kProductThreads, kChunk = plan::kChunk;
    constexpr int kScores = plan::elementStride(kChunk), kKeys = plan::elementStride(K), kValues = plan::elementStride(V);
    const Workspace& work = arguments.work;
    const ChunkPlace place = work.places[slot / arguments.sizes.heads];
    if (place.rows == 0)
        return;
    const std::int64_t number = slot;
    Element *const q = at<Element>(shared, Shared::q), *const state = at<Element>(shared, Shared::state);
    Element *const scores = at<Element>(shared, Shared::scores), *const writes = at<Element>(shared, Shared::writes);
    copyPacked<kThreads, K, kChunk>(q, static_cast<const Element*>(work.queries) + number * kChunk * K);
    copyPacked<kThreads, V, K>(state, static_cast<const Element*>(work.states) + number * K * V);
    copyPacked<kThreads, kChunk, kChunk>(scores, static_cast<const Element*>(work.scores) + number * kChunk * kChunk);
    copyPacked<kThreads, V, kChunk>(writes, static_cast<const Element*>(work.writes) + number * kChunk * V);
    commitCopies();
    waitForCopies<0>();
    syncBlock();

    const int first = warp() % 4 * 16, value = warp() / 4 * (V / 2);
    float results[1][V / 16][4];
    clear(results);
    addProduct<K / 16, Order::Plain, Order::Plain>(results, q + first * kKeys, kKeys, state + value, kValues);
    addProduct<kChunk / 16, Order::Plain, Order::Plain>(results, scores + first * kScores, kScores, writes + value, kValues);
    const int heads = arguments.sizes.heads, head = slot % heads;
    const std::int64_t token = std::int64_t{place.batch} * arguments.sizes.tokens + place.first;
    Element* const o = static_cast<Element*>(arguments.o) + (token * heads + head) * V + value;
    forEachPair(results, [&](int row, int column, float one, float two) {
        if (first + row < place.rows)
            storePair(o + std::int64_t{first + row} * heads * V + column, one, two);
    });
}

} // namespace assay::gdn::cuda

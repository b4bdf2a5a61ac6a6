// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/arguments.h"
#include "kernels/gdn/cuda/primitives.h"
#include "kernels/gdn/plan/tiles.h"

/// Which tokens each chunk has. Made on the device, so that the host need not know where sequences start.
namespace assay::gdn::cuda {

/// Entries the table of chunks needs at most, wherever @p sequences sequences start.
constexpr std::int64_t mostChunks(std::int64_t batch, std::int64_t tokens, std::int64_t sequences, bool isPacked)
{
    if (isPacked)
        return tokens / plan::kChunk + sequences; // each sequence rounds up once
    return batch * ((tokens + plan::kChunk - 1) / plan::kChunk);
}

/// By one block of @p threads threads.
ASSAY_DEVICE void setPlaces(const Arguments& arguments, int threads)
{
    const Sizes& sizes = arguments.sizes;
    const Workspace& work = arguments.work;
    for (int i = threadIndex(); i < sizes.chunks; i += threads)
        work.places[i] = {0, 0, 0, 0};
    syncBlock();
    for (int sequence = threadIndex(); sequence < sizes.sequences; sequence += threads) {
        int firstChunk = 0;
        for (int earlier = 0; earlier < sequence; ++earlier) {
            const int tokens = sizes.starts ? sizes.starts[earlier + 1] - sizes.starts[earlier] : sizes.tokens;
            firstChunk += (tokens + plan::kChunk - 1) / plan::kChunk;
        }
        const int first = sizes.starts ? sizes.starts[sequence] : 0;
        const int tokens = sizes.starts ? sizes.starts[sequence + 1] - first : sizes.tokens;
        const int chunks = (tokens + plan::kChunk - 1) / plan::kChunk;
        work.sequences[sequence] = {firstChunk, chunks};
        for (int chunk = 0; chunk < chunks; ++chunk) {
            const int begin = chunk * plan::kChunk, left = tokens - begin;
            work.places[firstChunk + chunk]
                = {sizes.starts ? 0 : sequence, first + begin, left < plan::kChunk ? left : plan::kChunk, sequence};
        }
    }
}

} // namespace assay::gdn::cuda

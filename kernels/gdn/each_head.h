// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/head.h"
#include "kernels/tensor/parallel.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace assay::gdn {

/// Runs every head of every sequence, shared out among @p threads threads (0: one a core). No two heads share a result, so the
/// bits do not depend on how many there are.
/// @throws Stopped  between two heads, once @p stop asks for it
/// @param makeWorker  called once a thread: gives what computes one head
/// @param writer      a ForwardWriter or BackwardWriter
template <typename Writer, typename MakeWorker>
void forEachHead(const Problem& problem, int threads, const std::stop_token& stop, Writer& writer, MakeWorker makeWorker)
{
    const std::vector<Sequence> sequences = sequencesOf(problem);
    const std::int64_t heads = shapeOf(problem).heads;
    tensor::inParallel(static_cast<std::int64_t>(sequences.size()) * heads, threads, [&] {
        return [&, worker = makeWorker()](std::int64_t part) mutable {
            if (stop.stop_requested())
                throw Stopped();
            const std::int64_t number = part / heads, head = part % heads;
            const Sequence& sequence = sequences[static_cast<std::size_t>(number)];
            worker(headOf(problem, sequence, number, head), writer.head(sequence, number, head));
        };
    });
}

} // namespace assay::gdn

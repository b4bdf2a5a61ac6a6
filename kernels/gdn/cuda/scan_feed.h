// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/tile_io.h"

/// What a scan reads, brought to shared memory ahead of its steps.
namespace assay::gdn::cuda {

/// From the first chunk to the last, or the states' gradient back.
enum class Direction { Forward, Reverse };

/// A scan's parts of shared memory.
template <Direction D, int K> struct ScanSharedOf {
    using Type = plan::ForwardScanShared<K>;
};
template <int K> struct ScanSharedOf<Direction::Reverse, K> {
    using Type = plan::ReverseScanShared<K>;
};

/// Which columns of which state a block of a scan carries.
struct ScanPlace {
    int sequence, head;
    int value; ///< first of plan::kScanValues columns
};

/// The copying warps of a scan's block. A step's tiles come in two groups: its reads, with what it adds them to and the decays;
/// its adds, with the queries and do, which the reverse alone has. Each is copied when the same tiles of two steps before have
/// been used, a step or more before it is needed.
template <typename Element, int K, int V, Direction D> class ScanFeed {
    using Shared = typename ScanSharedOf<D, K>::Type;
    static constexpr int kThreads = plan::kScanThreads - plan::kScanCarriers;
    static constexpr int kStepsFetched = 4; ///< from device memory a step's tiles would be as long on their way as it takes
    static constexpr int kLineBytes = plan::kLineBytes;

public:
    /// @param thread  of the copying ones
    ASSAY_DEVICE ScanFeed(const Arguments& arguments, const ScanPlace& place, int thread, char* shared)
        : m_arguments(arguments)
        , m_place(place)
        , m_sequence(arguments.work.sequences[place.sequence])
        , m_thread(thread)
        , m_shared(shared)
    {
        if (D == Direction::Reverse && m_sequence.chunks > 0)
            m_last = arguments.work.places[m_sequence.firstChunk + m_sequence.chunks - 1];
    }

    ASSAY_DEVICE void start()
    {
        copyReads(0);
        copyRest(0);
        copyReads(1);
        for (int i = 1; i < kStepsFetched; ++i)
            fetch(i);
    }

    /// Until the next step's tiles have landed.
    ASSAY_DEVICE void wait() { waitForCopies<1>(); } // the reads of the step behind it may be on their way
    ASSAY_DEVICE void finish() { waitForCopies<0>(); }

    /// A step's copies, in this order. Nobody may use those of step @p i - 2 any more. Behind the last step nothing is copied.
    ASSAY_DEVICE void copyReads(int i)
    {
        if (i < m_sequence.chunks) {
            const std::int64_t number = slot(i);
            copyKeyed(tile<Element>(i, Shared::reads), reads(), number);
            copyPacked<kThreads, plan::kScanValues, plan::kChunk, V, plan::Rows::Mixed>(tile<Element>(i, Shared::own),
                                                                                        ownOf(number), m_thread);
            if (m_thread < K / 4)
                copyAsync(tile<float>(i, Shared::decay) + m_thread * 4, decaysOf(number) + m_thread * 4, true);
        }
        commitCopies();
    }

    ASSAY_DEVICE void copyRest(int i)
    {
        if (i < m_sequence.chunks) {
            copyKeyed(tile<Element>(i, Shared::adds), adds(), slot(i));
            if constexpr (D == Direction::Reverse) {
                copyKeyed(tile<Element>(i, Shared::q), m_arguments.work.queries, slot(i));
                copyInput<kThreads, plan::kScanValues, plan::Rows::Mixed>(tile<Element>(i, Shared::outputGrad),
                                                                          m_arguments.outputGrad, placeOf(i), m_place.head,
                                                                          m_place.value, m_thread);
            }
        }
        commitCopies();
    }

    /// Starts to bring near the processors what the step kStepsFetched behind step @p i will copy.
    ASSAY_DEVICE void fetchAhead(int i) { fetch(i + kStepsFetched); }

private:
    template <typename T> ASSAY_DEVICE T* tile(int i, plan::Span span)
    {
        return at<T>(m_shared + i % plan::kStages * Shared::kStageBytes, span);
    }

    ASSAY_DEVICE std::int64_t slot(int i) const
    {
        const int chunk = D == Direction::Forward ? i : m_sequence.chunks - 1 - i;
        return std::int64_t{m_sequence.firstChunk + chunk} * m_arguments.sizes.heads + m_place.head;
    }

    /// The place of the chunk that lies @p distance before the last one; reading it from the table would hold up each step.
    ASSAY_DEVICE ChunkPlace placeOf(int distance) const
    {
        return {m_last.batch, m_last.first - distance * plan::kChunk, distance == 0 ? m_last.rows : plan::kChunk,
                m_last.sequence};
    }

    ASSAY_DEVICE const void* reads() const { return D == Direction::Forward ? m_arguments.work.w : m_arguments.work.y; }
    ASSAY_DEVICE const void* adds() const
    {
        return D == Direction::Forward ? m_arguments.work.keysOut : m_arguments.work.negErases;
    }
    ASSAY_DEVICE const Element* ownOf(std::int64_t number) const
    {
        return static_cast<const Element*>(D == Direction::Forward ? m_arguments.work.u : m_arguments.work.x)
            + number * plan::kChunk * V + m_place.value;
    }
    ASSAY_DEVICE const float* decaysOf(std::int64_t number) const { return m_arguments.work.totalDecay + number * K; }

    /// Of the tiles that a head's blocks share, each fetches a part.
    ASSAY_DEVICE void fetch(int i)
    {
        if (i >= m_sequence.chunks)
            return;
        const std::int64_t number = slot(i);
        fetchKeyed(reads(), number);
        fetchKeyed(adds(), number);
        if (m_thread < K * 4 / kLineBytes)
            prefetch(decaysOf(number) + m_thread * (kLineBytes / 4));
        const int row = m_thread;
        static_assert(kThreads >= plan::kChunk);
        if (row < plan::kChunk)
            prefetch(ownOf(number) + row * V);
        if constexpr (D == Direction::Reverse) {
            fetchKeyed(m_arguments.work.queries, number);
            const ChunkPlace place = placeOf(i);
            if (row < place.rows)
                prefetch(rowsOf<Element>(m_arguments.outputGrad, place, m_place.head) + row * m_arguments.outputGrad.token
                         + m_place.value * m_arguments.outputGrad.channel);
        }
    }
    ASSAY_DEVICE void fetchKeyed(const void* array, std::int64_t number)
    {
        constexpr int kLine = kLineBytes / 2, kLines = plan::kChunk * K / kLine * plan::kScanValues / V;
        static_assert(kLines <= kThreads);
        const int part = m_place.value / plan::kScanValues;
        if (m_thread < kLines)
            prefetch(static_cast<const Element*>(array) + number * plan::kChunk * K + (part * kLines + m_thread) * kLine);
    }

    /// The slot's 64 x K tile.
    ASSAY_DEVICE void copyKeyed(Element* to, const void* array, std::int64_t number)
    {
        copyPacked<kThreads, K, plan::kChunk, K, plan::Rows::Mixed>(
            to, static_cast<const Element*>(array) + number * plan::kChunk * K, m_thread);
    }

    const Arguments& m_arguments;
    ScanPlace m_place;
    SequencePlace m_sequence;
    ChunkPlace m_last{};
    int m_thread;
    char* m_shared;
};

} // namespace assay::gdn::cuda

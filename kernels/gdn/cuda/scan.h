// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/scan_feed.h"

/// The state from chunk to chunk, and its gradient back.
namespace assay::gdn::cuda {

/// A block carries plan::kScanValues columns of one head's state, each of its first warps 16 of them over all keys, transposed
/// and in registers throughout: a product's results are, once rounded, the left factor of the next one, so that a column never
/// waits for another warp. The other warps copy ahead.
///
/// A step makes passed = own + reads state and state := decay state + adds^T passed, where
/// forward: passed = writes, own = u, reads = w, adds = k; reverse: passed = p, own = x, reads = y, adds = e, and the state's
/// gradient also gets q^T do.
template <typename Element, int K, int V, Direction D> class Scan {
    using Shared = typename ScanSharedOf<D, K>::Type;
    static constexpr int kKeyStride = plan::elementStride(K);
    static constexpr int kValueStride = plan::elementStride(plan::kScanValues);
    static constexpr int kParts = V / plan::kScanValues; ///< neighbours read the same tiles: they run at the same time

public:
    ASSAY_DEVICE Scan(const Arguments& arguments, int block, char* shared)
        : m_arguments(arguments)
        , m_place{block / kParts / arguments.sizes.heads, block / kParts % arguments.sizes.heads,
                  block % kParts * plan::kScanValues}
        , m_shared(shared)
    {
    }

    ASSAY_DEVICE void run()
    {
        const SequencePlace sequence = m_arguments.work.sequences[m_place.sequence];
        const bool isCarrier = threadIndex() < plan::kScanCarriers;
        ScanFeed<Element, K, V, D> feed(m_arguments, m_place, threadIndex() - plan::kScanCarriers, m_shared);
        if (isCarrier)
            readState();
        else
            feed.start();
        for (int i = 0; i < sequence.chunks; ++i) {
            const int chunk = sequence.firstChunk + (D == Direction::Forward ? i : sequence.chunks - 1 - i);
            if (!isCarrier)
                feed.waitForReads();
            syncBlock(); // the step's reads and queries are there, and nobody uses the adds of the step before
            if (isCarrier) {
                pass(i % plan::kStages);
            } else {
                feed.copyQueries(i + 1);
                feed.copyAdds(i + 1);
                feed.waitForAdds();
            }
            syncBlock(); // the step's adds are there, and nobody uses its reads and queries
            if (isCarrier) {
                addPassed(chunk, i % plan::kStages);
            } else {
                feed.copyReads(i + 2);
                feed.fetchAhead(i);
            }
        }
        if (isCarrier)
            writeState();
        else
            feed.finish();
    }

private:
    ASSAY_DEVICE int firstValue() const { return warp() * 16; }
    template <typename T> ASSAY_DEVICE const T* tile(int stage, plan::Span span)
    {
        return at<T>(m_shared + stage * Shared::kStageBytes, span);
    }

    /// Calls use(element, place) for the thread's elements of the state, with their places in an fp32 state of all columns.
    template <typename Use> ASSAY_DEVICE void forEachOfState(Use use)
    {
        const std::int64_t head = std::int64_t{m_place.sequence} * m_arguments.sizes.heads + m_place.head;
        const std::int64_t first = head * K * V + accumulatorColumn() * V + m_place.value + firstValue() + accumulatorRow();
#pragma unroll
        for (int tile = 0; tile < K / 8; ++tile) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
                use(m_state[0][tile][i], first + ((tile * 8 + i % 2) * V + i / 2 * 8));
        }
    }

    ASSAY_DEVICE void readState()
    {
        clear(m_state);
        if (const float* const from = D == Direction::Forward ? m_arguments.initialState : m_arguments.finalGrad)
            forEachOfState([&](float& element, std::int64_t place) { element = from[place]; });
    }

    ASSAY_DEVICE void writeState()
    {
        if (float* const to = D == Direction::Forward ? m_arguments.finalState : m_arguments.initialGrad)
            forEachOfState([&](float element, std::int64_t place) { to[place] = element; });
    }

    /// passed, and of the state's new value what does not depend on it.
    ASSAY_DEVICE void pass(int stage)
    {
        roundToLeft<Element>(m_state, m_entering);
        float results[1][plan::kChunk / 8][4];
        loadTransposed(results, tile<Element>(stage, Shared::own) + firstValue(), kValueStride);
        addProduct<Order::Transposed>(results, m_entering, tile<Element>(stage, Shared::reads), kKeyStride, [](int) {});
        decayState(tile<float>(stage, Shared::decay));
        if constexpr (D == Direction::Reverse)
            addProduct<plan::kChunk / 16, Order::Transposed, Order::Plain>(
                m_state, tile<Element>(stage, Shared::outputGrad) + firstValue(), kValueStride, tile<Element>(stage, Shared::q),
                kKeyStride);
        roundToLeft<Element>(results, m_passed);
    }

    /// The rest of the state's new value. What the step leaves in memory goes out beside the products, which have room for it.
    ASSAY_DEVICE void addPassed(int chunk, int stage)
    {
        const std::int64_t number = std::int64_t{chunk} * m_arguments.sizes.heads + m_place.head;
        addProduct<Order::Plain>(m_state, m_passed, tile<Element>(stage, Shared::adds), kKeyStride, [&](int step) {
            constexpr int kPieces = (K + plan::kChunk) / 16, kBusySteps = plan::kChunk / 16 - 1;
#pragma unroll
            for (int piece = step; piece < kPieces && step < kBusySteps; piece += kBusySteps)
                write(piece, number);
            syncWarp(); // keeps them there: all of them behind the last product would take as long as the products
        });
    }

    /// 16 rows of the state that entered the step, or of what it passed.
    ASSAY_DEVICE void write(int piece, std::int64_t number)
    {
        const Workspace& work = m_arguments.work;
        const bool isForward = D == Direction::Forward;
        const std::int64_t value = m_place.value + firstValue();
        Element* const states = static_cast<Element*>(isForward ? work.states : work.stateGrads) + number * K * V + value;
        Element* const passed = static_cast<Element*>(isForward ? work.writes : work.p) + number * plan::kChunk * V + value;
        if (piece < K / 16)
            storeTransposed(m_entering[piece], states + piece * 16 * V, V);
        else
            storeTransposed(m_passed[piece - K / 16], passed + (piece - K / 16) * 16 * V, V);
    }

    ASSAY_DEVICE void decayState(const float* decay)
    {
        forEachPair(m_state, [&](int, int key, float& first, float& second) {
            first *= decay[key];
            second *= decay[key + 1];
        });
    }

    const Arguments& m_arguments;
    ScanPlace m_place;
    char* m_shared;
    float m_state[1][K / 8][4];                   ///< values by keys
    std::uint32_t m_entering[K / 16][4];          ///< the state before the step
    std::uint32_t m_passed[plan::kChunk / 16][4]; ///< values by tokens
};

} // namespace assay::gdn::cuda

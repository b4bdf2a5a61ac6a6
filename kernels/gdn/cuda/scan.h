// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/scan_feed.h"

/// The state from chunk to chunk, and its gradient back.
namespace assay::gdn::cuda {

/// A block carries plan::kScanValues columns of one head's state, two of its first warps 16 of them, transposed and in registers
/// throughout: a product's results are, once rounded, the left factor of the next one. Each of the two has half of the keys, and
/// makes half of the tokens' passed; what it has of either it gives, rounded, to the other, which meanwhile multiplies its own.
/// The block's other warps copy ahead.
///
/// A step makes passed = own + reads state and state := decay state + adds^T passed, where
/// forward: passed = writes, own = u, reads = w, adds = k; reverse: passed = p, own = x, reads = y, adds = e, and the state's
/// gradient also gets q^T do.
template <typename Element, int K, int V, Direction D> class Scan {
    using Shared = typename ScanSharedOf<D, K>::Type;
    static constexpr int kKeys = K / 2, kTokens = plan::kChunk / 2;          ///< a warp's
    static constexpr int kKeyParts = kKeys / 16, kTokenParts = kTokens / 16; ///< of a left factor
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
            if (isCarrier)
                enter();
            else
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
    ASSAY_DEVICE int firstValue() const { return warp() / 2 * 16; }
    ASSAY_DEVICE int firstKey() const { return warp() % 2 * kKeys; }
    ASSAY_DEVICE int firstToken() const { return warp() % 2 * kTokens; }
    /// The warp's own parts, or those of the other with the same columns.
    template <int Parts> ASSAY_DEVICE LeftPart* parts(plan::Span span, bool isOwn)
    {
        return at<LeftPart>(m_shared, span) + (isOwn ? warp() : warp() ^ 1) * Parts * 32;
    }
    template <typename T> ASSAY_DEVICE const T* tile(int stage, plan::Span span)
    {
        return at<T>(m_shared + stage * Shared::kStageBytes, span);
    }

    /// Calls use(element, place) for the thread's elements of the state, with their places in an fp32 state of all columns.
    template <typename Use> ASSAY_DEVICE void forEachOfState(Use use)
    {
        const std::int64_t head = std::int64_t{m_place.sequence} * m_arguments.sizes.heads + m_place.head;
        const std::int64_t first
            = head * K * V + (firstKey() + accumulatorColumn()) * V + m_place.value + firstValue() + accumulatorRow();
#pragma unroll
        for (int tile = 0; tile < kKeys / 8; ++tile) {
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

    ASSAY_DEVICE void enter()
    {
        roundToLeft<Element>(m_state, m_entering);
        give<0, kKeyParts>(m_entering, parts<kKeyParts>(Shared::entering, true));
    }

    /// passed, and of the state's new value what does not depend on it: neither product waits for the other.
    ASSAY_DEVICE void pass(int stage)
    {
        float results[1][kTokens / 8][4];
        loadTransposed<plan::kScanValues>(results, tile<Element>(stage, Shared::own), firstToken(), firstValue());
        take<kKeyParts, kKeyParts>(m_entering, parts<kKeyParts>(Shared::entering, false));
        QueryParts queries;
        loadQueries(queries, stage, 0);
        addProduct<Element>(
            results, m_entering,
            [&](int step, std::uint32_t(&reads)[kTokens / 16][4]) {
                const int key = firstKey() ^ step / kKeyParts * kKeys ^ step % kKeyParts * 16;
#pragma unroll
                for (int pair = 0; pair < kTokens / 16; ++pair)
                    loadMixedRight<Order::Transposed, K>(reads[pair], tile<Element>(stage, Shared::reads),
                                                         firstToken() + pair * 16, key);
            },
            [&](int step) {
                if (step == 0)
                    decayState(tile<float>(stage, Shared::decay) + firstKey());
                if (step + 1 < kQuerySteps)
                    loadQueries(queries, stage, step + 1);
                addQueries(queries, step);
            });
        roundToLeft<Element>(results, m_passed);
        give<0, kTokenParts>(m_passed, parts<kTokenParts>(Shared::passed, true));
    }

    /// The rest of the state's new value. What the step leaves in memory goes out beside the products, which have room for it.
    ASSAY_DEVICE void addPassed(int chunk, int stage)
    {
        const std::int64_t number = std::int64_t{chunk} * m_arguments.sizes.heads + m_place.head;
        take<kTokenParts, kTokenParts>(m_passed, parts<kTokenParts>(Shared::passed, false));
        const auto load = [&](int step, std::uint32_t(&adds)[kKeyParts][4]) {
            const int token = (firstToken() ^ step / kTokenParts * kTokens) + step % kTokenParts * 16;
#pragma unroll
            for (int pair = 0; pair < kKeyParts; ++pair)
                loadMixedRight<Order::Plain, K>(adds[pair], tile<Element>(stage, Shared::adds), token, firstKey() ^ pair * 16);
        };
        addProduct<Element>(m_state, m_passed, load, [&](int step) {
            constexpr int kPieces = kKeyParts + kTokenParts, kBusySteps = plan::kChunk / 16 - 1;
#pragma unroll
            for (int piece = step; piece < kPieces && step < kBusySteps; piece += kBusySteps)
                write(piece, number);
            syncWarp(); // keeps them there: all of them behind the last product would take as long as the products
        });
    }

    /// Of q^T do, a step takes 16 tokens and 32 keys.
    static constexpr int kQuerySteps = plan::kChunk / 16 * kKeys / 32;
    static_assert(kQuerySteps == 2 * kKeyParts, "the products of a step's two parts go side by side");
    struct QueryParts {
        std::uint32_t grads[2][4];
        std::uint32_t queries[2][2][4];
    };

    ASSAY_DEVICE void loadQueries(QueryParts& parts, int stage, int step)
    {
        if constexpr (D == Direction::Reverse) {
            const int token = step * 32 / kKeys * 16, key = firstKey() ^ step * 32 % kKeys;
            if (step * 32 % kKeys == 0)
                loadMixedLeft<plan::kScanValues>(parts.grads[token / 16 % 2], tile<Element>(stage, Shared::outputGrad), token,
                                                 firstValue());
#pragma unroll
            for (int pair = 0; pair < 2; ++pair)
                loadMixedRight<Order::Plain, K>(parts.queries[step % 2][pair], tile<Element>(stage, Shared::q), token,
                                                key ^ pair * 16);
        }
    }

    ASSAY_DEVICE void addQueries(const QueryParts& parts, int step)
    {
        if constexpr (D == Direction::Reverse) {
            if (step * 32 % kKeys == 0)
                multiplyPairs<Element, 0>(m_state, parts.grads[step * 32 / kKeys % 2], parts.queries[step % 2]);
            else
                multiplyPairs<Element, kKeys / 8 - 4>(m_state, parts.grads[step * 32 / kKeys % 2], parts.queries[step % 2]);
        }
    }

    /// 16 rows of the state that entered the step, or of what it passed.
    ASSAY_DEVICE void write(int piece, std::int64_t number)
    {
        const Workspace& work = m_arguments.work;
        const bool isForward = D == Direction::Forward;
        const std::int64_t value = m_place.value + firstValue();
        Element* const states
            = static_cast<Element*>(isForward ? work.states : work.stateGrads) + (number * K + firstKey()) * V + value;
        Element* const passed
            = static_cast<Element*>(isForward ? work.writes : work.p) + (number * plan::kChunk + firstToken()) * V + value;
        if (piece < kKeyParts)
            storeTransposed(m_entering[piece], states + piece * 16 * V, V);
        else
            storeTransposed(m_passed[piece - kKeyParts], passed + (piece - kKeyParts) * 16 * V, V);
    }

    /// @param decay  of the warp's first key
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
    float m_state[1][kKeys / 8][4];             ///< values by the warp's keys
    std::uint32_t m_entering[2 * kKeyParts][4]; ///< the state before the step: the warp's keys, then the other's
    std::uint32_t m_passed[2 * kTokenParts][4]; ///< values by tokens: the warp's, then the other's
};

} // namespace assay::gdn::cuda

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/scan_feed.h"

/// The state from chunk to chunk, and its gradient back.
namespace assay::gdn::cuda {

/// A block carries plan::kScanValues columns of one head's state, two of its first warps 16 of them, transposed and in registers
/// throughout: a product's results are, once rounded, the left factor of the next one. Each of the two has half of the keys, and
/// makes half of the tokens' passed; what it has of either it gives, rounded, to the other, which meanwhile multiplies its own.
/// The block's other warps copy ahead, and write what was given to memory.
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
        if (threadIndex() < plan::kScanCarriers)
            carry(sequence);
        else
            serve(sequence);
    }

private:
    ASSAY_DEVICE void carry(const SequencePlace& sequence)
    {
        readState();
        for (int i = 0; i < sequence.chunks; ++i) {
            enter();
            meetBeforePass();
            pass(i % plan::kStages);
            meetBehindPass();
            addPassed(i % plan::kStages);
        }
        writeState();
    }

    /// Meets the carriers as often as they meet.
    ASSAY_DEVICE void serve(const SequencePlace& sequence)
    {
        ScanFeed<Element, K, V, D> feed(m_arguments, m_place, threadIndex() - plan::kScanCarriers, m_shared);
        feed.start();
        for (int i = 0; i < sequence.chunks; ++i) {
            const int chunk = sequence.firstChunk + (D == Direction::Forward ? i : sequence.chunks - 1 - i);
            feed.wait();
            meetBeforePass();
            feed.copyRest(i + 1);
            writeEntering(chunk);
            meetBehindPass();
            feed.copyReads(i + 2);
            writePassed(chunk);
            feed.fetchAhead(i);
        }
        feed.finish();
    }

    /// The step's tiles and what enters it are there, and nobody uses the adds and queries of the step before.
    ASSAY_DEVICE void meetBeforePass() { meetBlock<plan::kScanThreads>(); }

    /// What the step passes is there, and nobody uses its reads or what entered it.
    ASSAY_DEVICE void meetBehindPass() { meetBlock<plan::kScanThreads>(); }

    ASSAY_DEVICE int firstValue() const { return warp() / 2 * 16; }
    ASSAY_DEVICE int firstKey() const { return warp() % 2 * kKeys; }
    ASSAY_DEVICE int firstToken() const { return warp() % 2 * kTokens; }
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
        give<K>(m_entering, Shared::entering, firstKey());
    }

    /// passed, and of the state's new value what does not depend on it: neither product waits for the other.
    ASSAY_DEVICE void pass(int stage)
    {
        float results[1][kTokens / 8][4];
        loadTransposed<plan::kScanValues>(results, tile<Element>(stage, Shared::own) + firstToken() * plan::kScanValues, 0,
                                          firstValue());
        QueryParts queries;
        loadQueries(queries, stage, 0);
        take<K>(m_entering, Shared::entering, firstKey() ^ kKeys);
        const Element* const reads = tile<Element>(stage, Shared::reads) + firstToken() * K;
        addProduct<Element>(
            results, m_entering,
            [&](int step, std::uint32_t(&parts)[kTokenParts][4]) {
                const int key = firstKey() ^ step / kKeyParts * kKeys ^ step % kKeyParts * 16;
#pragma unroll
                for (int pair = 0; pair < kTokenParts; ++pair)
                    loadMixedRight<Order::Transposed, K>(parts[pair], reads, pair * 16, key);
            },
            [&](int step) {
                if (step == 0)
                    decayState(tile<float>(stage, Shared::decay) + firstKey());
                if (step + 1 < kQuerySteps)
                    loadQueries(queries, stage, step + 1);
                addQueries(queries, step);
            });
        roundToLeft<Element>(results, m_passed);
        give<plan::kChunk>(m_passed, Shared::passed, firstToken());
        loadAdds(m_adds, stage, firstToken());
    }

    /// The rest of the state's new value.
    ASSAY_DEVICE void addPassed(int stage)
    {
        AddParts others;
        take<plan::kChunk>(m_passed, Shared::passed, firstToken() ^ kTokens);
        loadAdds(others, stage, firstToken() ^ kTokens);
#pragma unroll
        for (int step = 0; step < kTokenParts; ++step)
            multiplyPairs<Element, 0>(m_state, m_passed[step], m_adds[step]);
#pragma unroll
        for (int step = 0; step < kTokenParts; ++step)
            multiplyPairs<Element, 0>(m_state, m_passed[kTokenParts + step], others[step]);
    }

    using AddParts = std::uint32_t[kTokenParts][kKeyParts][4];
    ASSAY_DEVICE void loadAdds(AddParts& parts, int stage, int token)
    {
        const Element* const adds = tile<Element>(stage, Shared::adds) + token * K;
#pragma unroll
        for (int step = 0; step < kTokenParts; ++step) {
#pragma unroll
            for (int pair = 0; pair < kKeyParts; ++pair)
                loadMixedRight<Order::Plain, K>(parts[step][pair], adds, step * 16, firstKey() ^ pair * 16);
        }
    }

    /// The warp's parts of a left factor, to the others.
    /// @param column  of the first element, of Columns
    template <int Columns, int Parts> ASSAY_DEVICE void give(const std::uint32_t (&left)[Parts][4], plan::Span span, int column)
    {
        Element* const to = at<Element>(m_shared, span);
#pragma unroll
        for (int i = 0; i < Parts / 2 * 4; ++i) {
            const int value = firstValue() + i % 2 * 8 + accumulatorRow();
            *reinterpret_cast<std::uint32_t*>(to + plan::placeOfValue<Columns>(value, column ^ i / 2 * 8 ^ accumulatorColumn()))
                = left[i / 4][i % 4];
        }
    }

    /// The parts of the other warp with the same columns, behind the warp's own.
    template <int Columns, int Parts> ASSAY_DEVICE void take(std::uint32_t (&left)[Parts][4], plan::Span span, int column)
    {
        const Element* const from = at<Element>(m_shared, span);
#pragma unroll
        for (int part = 0; part < Parts / 2; ++part)
            loadMatrices(left[Parts / 2 + part],
                         from + plan::placeOfValue<Columns>(firstValue() + lane() % 16, column ^ part * 16 ^ lane() / 16 * 8));
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

    ASSAY_DEVICE void writeEntering(int chunk)
    {
        const Workspace& work = m_arguments.work;
        write<K>(Shared::entering, D == Direction::Forward ? work.states : work.stateGrads, chunk);
    }
    ASSAY_DEVICE void writePassed(int chunk)
    {
        const Workspace& work = m_arguments.work;
        write<plan::kChunk>(Shared::passed, D == Direction::Forward ? work.writes : work.p, chunk);
    }

    /// What the step leaves in memory, by the warps that copy: the chunk's matrix of Rows rows of values. A lane reads two values
    /// of a row in each of four matrices, eight neighbours in all.
    template <int Rows> ASSAY_DEVICE void write(plan::Span span, void* matrices, int chunk)
    {
        static_assert(plan::kScanValues == 32);
        constexpr int kWarps = (plan::kScanThreads - plan::kScanCarriers) / 32;
        const int l = lane(), first = (warp() - plan::kScanCarriers / 32) * 8;
        const int value = l % 8 / 2 * 8 + l / 8 * 2 + l % 2;
        const std::int64_t number = std::int64_t{chunk} * m_arguments.sizes.heads + m_place.head;
        const Element* const from = at<Element>(m_shared, span);
        Element* const to = static_cast<Element*>(matrices) + (number * Rows + first + l / 4) * V + m_place.value + l % 4 * 8;
#pragma unroll
        for (int row = 0; row < Rows; row += kWarps * 8) {
            MatrixParts parts;
            loadTransposedMatrices(parts.of, from + plan::placeOfValue<Rows>(value, first ^ row));
            *reinterpret_cast<MatrixParts*>(to + row * V) = parts;
        }
    }
    struct alignas(16) MatrixParts {
        std::uint32_t of[4];
    };

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
    AddParts m_adds;                            ///< those of the warp's tokens
};

} // namespace assay::gdn::cuda

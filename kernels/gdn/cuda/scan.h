// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/tile_io.h"

/// The state from chunk to chunk, and its gradient back. A block carries VT value channels of one head of one sequence; the next
/// chunk is on its way to shared memory while one is at work.
namespace assay::gdn::cuda {

/// What both scans share: the state in registers, K / 4 keys a warp.
template <typename Element, int K, int VT> class Scan {
protected:
    static constexpr int kThreads = plan::kScanThreads;
    static constexpr int kStride = plan::elementStride(K);
    static constexpr int kValueStride = plan::elementStride(VT);
    static constexpr int kRowTiles = K / 64;
    static constexpr int kTiles = VT / 8;

    ASSAY_DEVICE Scan(const Arguments& arguments, int head, int part, char* shared)
        : m_arguments(arguments)
        , m_values(arguments.sizes.values)
        , m_head(head % arguments.sizes.heads)
        , m_sequence(head / arguments.sizes.heads)
        , m_value(part * VT)
        , m_shared(shared)
    {
    }

    template <typename T> ASSAY_DEVICE T* in(plan::Span span) { return at<T>(m_shared, span); }
    ASSAY_DEVICE std::int64_t slot(int chunk) const { return std::int64_t{chunk} * m_arguments.sizes.heads + m_head; }
    ASSAY_DEVICE int warpKeys() const { return warp() * (K / 4); }

    /// This block's columns of a state array: one for each head of each sequence, or for each slot.
    template <typename T> ASSAY_DEVICE T* stateAt(T* array, std::int64_t number) const
    {
        return array + number * K * m_values + m_value;
    }
    ASSAY_DEVICE std::int64_t sequenceHead() const { return std::int64_t{m_sequence} * m_arguments.sizes.heads + m_head; }

    ASSAY_DEVICE void readState(const float* from)
    {
        clear(m_state);
        if (!from)
            return;
        const float* const part = stateAt(from, sequenceHead()) + warpKeys() * std::int64_t{m_values};
        forEachPair(m_state, [&](int row, int column, float& first, float& second) {
            first = part[row * m_values + column];
            second = part[row * m_values + column + 1];
        });
    }

    ASSAY_DEVICE void writeState(float* to)
    {
        if (!to)
            return;
        float* const part = stateAt(to, sequenceHead()) + warpKeys() * std::int64_t{m_values};
        forEachPair(m_state, [&](int row, int column, float first, float second) {
            part[row * m_values + column] = first;
            part[row * m_values + column + 1] = second;
        });
    }

    ASSAY_DEVICE void decayState(const float* decay)
    {
        forEachPair(m_state, [&](int row, int, float& first, float& second) {
            const float factor = decay[warpKeys() + row];
            first *= factor;
            second *= factor;
        });
    }

    /// Starts to copy the slot's 64 x K tile.
    ASSAY_DEVICE void copyKeyed(Element* tile, const void* array, std::int64_t number)
    {
        copyTile<kThreads, K>(tile, static_cast<const Element*>(array) + number * plan::kChunk * K, K, plan::kChunk,
                              plan::kChunk);
    }
    /// The same for this block's columns of a 64 x V tile.
    ASSAY_DEVICE void copyValued(Element* tile, const void* array, std::int64_t number)
    {
        copyTile<kThreads, VT>(tile, static_cast<const Element*>(array) + number * plan::kChunk * m_values + m_value, m_values,
                               plan::kChunk, plan::kChunk);
    }
    ASSAY_DEVICE void copyDecay(float* to, std::int64_t number)
    {
        const float* const from = m_arguments.work.totalDecay + number * K;
        for (int i = threadIndex() * 4; i < K; i += kThreads * 4)
            copyAsync(to + i, from + i, true);
    }

    /// rows 16 warp .. of @p tile + a b, into the tile @p to and to this block's columns of the slot's in @p array.
    ASSAY_DEVICE void addRows(const Element* tile, const Element* a, const Element* b, Element* to, void* array,
                              std::int64_t number)
    {
        float results[1][kTiles][4];
        const int first = warp() * 16;
        forEachPair(results, [&](int row, int column, float& one, float& two) {
            const Pair pair = loadPair(tile + (first + row) * kValueStride + column);
            one = pair.first;
            two = pair.second;
        });
        addProduct<K / 16, Order::Plain, Order::Plain>(results, a + first * kStride, kStride, b, kValueStride);
        store(results, to + first * kValueStride, kValueStride);
        store(results, static_cast<Element*>(array) + (number * plan::kChunk + first) * m_values + m_value, m_values);
    }

    /// state += keys^T values over the chunk's tokens.
    ASSAY_DEVICE void addToState(const Element* keys, const Element* values)
    {
        addProduct<plan::kChunk / 16, Order::Transposed, Order::Plain>(m_state, keys + warpKeys(), kStride, values, kValueStride);
    }

    const Arguments& m_arguments;
    int m_values, m_head, m_sequence, m_value;
    char* m_shared;
    float m_state[kRowTiles][kTiles][4];
};

template <typename Element, int K, int VT> class ForwardScan : Scan<Element, K, VT> {
    using Base = Scan<Element, K, VT>;
    using Shared = plan::ForwardScanShared<K, VT>;

public:
    ASSAY_DEVICE ForwardScan(const Arguments& arguments, int head, int part, char* shared)
        : Base(arguments, head, part, shared)
    {
    }

    ASSAY_DEVICE void run()
    {
        const Workspace& work = this->m_arguments.work;
        const SequencePlace place = work.sequences[this->m_sequence];
        this->readState(this->m_arguments.initialState);
        if (place.chunks > 0)
            fetch(place.firstChunk, 0);
        for (int i = 0; i < place.chunks; ++i)
            step(place.firstChunk + i, i % plan::kStages, i + 1 < place.chunks);
        this->writeState(this->m_arguments.finalState);
    }

private:
    template <typename T> ASSAY_DEVICE T* staged(int stage, plan::Span span)
    {
        return at<T>(this->m_shared + Shared::stages.first + stage * Shared::kStageBytes, span);
    }

    ASSAY_DEVICE void fetch(int chunk, int stage)
    {
        const Workspace& work = this->m_arguments.work;
        const std::int64_t number = this->slot(chunk);
        this->copyKeyed(staged<Element>(stage, Shared::w), work.w, number);
        this->copyKeyed(staged<Element>(stage, Shared::k), work.keysOut, number);
        this->copyValued(staged<Element>(stage, Shared::u), work.u, number);
        this->copyDecay(staged<float>(stage, Shared::decay), number);
        commitCopies();
    }

    ASSAY_DEVICE void step(int chunk, int stage, bool hasNext)
    {
        const Workspace& work = this->m_arguments.work;
        const std::int64_t number = this->slot(chunk);
        Element* const state = this->template in<Element>(Shared::state);
        Element* const writes = this->template in<Element>(Shared::writes);
        store(this->m_state, state + this->warpKeys() * Base::kValueStride, Base::kValueStride);
        waitForCopies<0>();
        syncBlock(); // from here on nobody reads the other stage
        if (hasNext)
            fetch(chunk + 1, (stage + 1) % plan::kStages);
        writeTile<Base::kThreads, VT>(state, this->stateAt(static_cast<Element*>(work.states), number), this->m_values, K);
        this->addRows(staged<Element>(stage, Shared::u), staged<Element>(stage, Shared::w), state, writes, work.writes, number);
        syncBlock();
        this->decayState(staged<float>(stage, Shared::decay));
        this->addToState(staged<Element>(stage, Shared::k), writes);
    }
};

template <typename Element, int K, int VT> class ReverseScan : Scan<Element, K, VT> {
    using Base = Scan<Element, K, VT>;
    using Shared = plan::ReverseScanShared<K, VT>;

public:
    ASSAY_DEVICE ReverseScan(const Arguments& arguments, int head, int part, char* shared)
        : Base(arguments, head, part, shared)
    {
    }

    ASSAY_DEVICE void run()
    {
        const Workspace& work = this->m_arguments.work;
        const SequencePlace place = work.sequences[this->m_sequence];
        this->readState(this->m_arguments.finalGrad);
        const int last = place.firstChunk + place.chunks - 1;
        if (place.chunks > 0) {
            m_last = work.places[last];
            fetch(last, 0, 0);
        }
        for (int i = 0; i < place.chunks; ++i)
            step(last - i, i, i + 1 < place.chunks);
        this->writeState(this->m_arguments.initialGrad);
    }

private:
    template <typename T> ASSAY_DEVICE T* staged(int stage, plan::Span span)
    {
        return at<T>(this->m_shared + Shared::stages.first + stage * Shared::kStageBytes, span);
    }

    /// The place of the chunk that lies @p distance before the last one; reading it from the table would hold up each step.
    ASSAY_DEVICE ChunkPlace placeBefore(int distance) const
    {
        return {m_last.batch, m_last.first - distance * plan::kChunk, distance == 0 ? m_last.rows : plan::kChunk,
                m_last.sequence};
    }

    ASSAY_DEVICE void fetch(int chunk, int distance, int stage)
    {
        const Workspace& work = this->m_arguments.work;
        const std::int64_t number = this->slot(chunk);
        this->copyKeyed(staged<Element>(stage, Shared::y), work.y, number);
        this->copyKeyed(staged<Element>(stage, Shared::q), work.queries, number);
        this->copyKeyed(staged<Element>(stage, Shared::e), work.negErases, number);
        this->copyValued(staged<Element>(stage, Shared::x), work.x, number);
        copyInput<Base::kThreads, VT>(staged<Element>(stage, Shared::outputGrad), this->m_arguments.outputGrad,
                                      placeBefore(distance), this->m_head, this->m_value);
        this->copyDecay(staged<float>(stage, Shared::decay), number);
        commitCopies();
    }

    ASSAY_DEVICE void step(int chunk, int distance, bool hasNext)
    {
        const Workspace& work = this->m_arguments.work;
        const std::int64_t number = this->slot(chunk);
        const int stage = distance % plan::kStages;
        Element* const stateGrad = this->template in<Element>(Shared::stateGrad);
        Element* const p = this->template in<Element>(Shared::p);
        store(this->m_state, stateGrad + this->warpKeys() * Base::kValueStride, Base::kValueStride);
        waitForCopies<0>();
        syncBlock(); // from here on nobody reads the other stage
        if (hasNext)
            fetch(chunk - 1, distance + 1, (stage + 1) % plan::kStages);
        writeTile<Base::kThreads, VT>(stateGrad, this->stateAt(static_cast<Element*>(work.stateGrads), number), this->m_values,
                                      K);
        this->addRows(staged<Element>(stage, Shared::x), staged<Element>(stage, Shared::y), stateGrad, p, work.p, number);
        syncBlock();
        this->decayState(staged<float>(stage, Shared::decay));
        this->addToState(staged<Element>(stage, Shared::q), staged<Element>(stage, Shared::outputGrad));
        this->addToState(staged<Element>(stage, Shared::e), p);
    }

    ChunkPlace m_last{};
};

} // namespace assay::gdn::cuda

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/steps.h"
#include "kernels/gdn/cuda/tile_io.h"

/// What a chunk is to the state, whatever the state: scores of its tokens, the inverse of the erase scores' system, and its
/// tokens with their decays.
namespace assay::gdn::cuda {

template <typename Element, int K, int V, Gate G> class Prepare {
    using Shared = plan::PrepareShared<K, V>;
    static constexpr int kThreads = plan::kPrepareThreads;
    static constexpr int kStride = plan::elementStride(K);
    static constexpr int kGammaStride = plan::floatStride(K);
    static constexpr int kScoreStride = plan::floatStride(plan::kChunk);
    static constexpr int kInverseStride = plan::elementStride(plan::kChunk);

public:
    ASSAY_DEVICE Prepare(const Arguments& arguments, int slot, char* shared)
        : m_arguments(arguments)
        , m_slot(slot)
        , m_head(slot % arguments.sizes.heads)
        , m_place(arguments.work.places[slot / arguments.sizes.heads])
        , m_shared(shared)
    {
    }

    ASSAY_DEVICE void run()
    {
        if (m_place.rows == 0)
            return;
        load();
        if constexpr (G == Gate::Token) {
            setScores();
        } else {
            setNearScores();
            setFarScores();
        }
        ValueWords words;
        loadValues(words); // on their way while the scores are inverted
        writeScores();
        invert();
        decayTokens(words);
        multiplyByInverse();
    }

private:
    template <typename T> ASSAY_DEVICE T* in(plan::Span span) { return at<T>(m_shared, span); }

    /// The slot's part of an array of @p count elements a slot. A forward has no arrays for the backward.
    ASSAY_DEVICE Element* out(void* array, int count)
    {
        return array ? static_cast<Element*>(array) + std::int64_t{m_slot} * count : nullptr;
    }

    ASSAY_DEVICE void load()
    {
        copyInput<kThreads, K>(in<Element>(Shared::q), m_arguments.q, m_place, m_head, 0);
        copyInput<kThreads, K>(in<Element>(Shared::k), m_arguments.k, m_place, m_head, 0);
        copyInput<kThreads, K>(in<Element>(Shared::b), m_arguments.b, m_place, m_head, 0);
        commitCopies();
        sumDecays<kThreads, K>(in<float>(Shared::gamma), m_arguments.g, m_place, m_head, 0);
        waitForCopies<0>();
        syncBlock();
    }

    /// All pairs, where a pair has one decay: it is applied to the products.
    ASSAY_DEVICE void setScores()
    {
        for (int i = threadIndex(); i < plan::kChunk * K / 2; i += kThreads) {
            const int at = i / (K / 2) * kStride + i % (K / 2) * 2;
            const Pair b = loadPair(in<Element>(Shared::b) + at), k = loadPair(in<Element>(Shared::k) + at);
            storePair(in<Element>(Shared::erases) + at, b.first * k.first, b.second * k.second);
        }
        syncBlock();
        constexpr int kColumns = plan::kChunk / 2;
        static_assert(kThreads / 32 == 2 * plan::kSubBlocks * (plan::kChunk / kColumns));
        const bool isQuery = warp() < 2 * plan::kSubBlocks;
        const int first = warp() % plan::kSubBlocks * 16, left = warp() / plan::kSubBlocks % 2 * kColumns;
        const Element* const tokens = isQuery ? in<Element>(Shared::q) : in<Element>(Shared::erases);
        float scores[1][kColumns / 8][4];
        clear(scores);
        addProduct<K / 16, Order::Plain, Order::Transposed>(scores, tokens + first * kStride, kStride,
                                                            in<Element>(Shared::k) + left * kStride, kStride);
        float* const to = isQuery ? in<float>(Shared::query) : in<float>(Shared::erase);
        const float scale = isQuery ? m_arguments.scale : 1;
        const float* const gamma = in<float>(Shared::gamma);
        forEachPair(scores, [&](int row, int column, float one, float two) {
            row += first;
            column += left;
            float* const pair = to + row * kScoreStride + column;
            const float own = gamma[row * kGammaStride];
            // The exponent of a pair above the diagonal would be positive without bound.
            pair[0] = column <= row ? one * scale * exp2(own - gamma[column * kGammaStride]) : 0;
            pair[1] = column + 1 <= row ? two * scale * exp2(own - gamma[(column + 1) * kGammaStride]) : 0;
        });
        syncBlock();
    }

    /// Pairs of one sub-block, each decay a product of the tokens' between the two. A thread takes one earlier token and an
    /// eighth of the channels. The earlier tokens of a warp are neighbours, so rows before all of them are left out by all.
    ASSAY_DEVICE void setNearScores()
    {
        constexpr int kParts = kThreads / plan::kChunk, kTokens = 32 / kParts;
        static_assert(kParts == 8 && plan::kSubBlock % kTokens == 0);
        static_assert(Shared::query.end() - Shared::erase.first >= plan::floatTile(0, plan::kChunk, K).bytes);
        const float* const gamma = in<float>(Shared::gamma);
        float* const decay = in<float>(Shared::erase); // until the scores are there
        for (int i = threadIndex(); i < plan::kChunk * K; i += kThreads) {
            const int row = i / K, at = row * kGammaStride + i % K;
            decay[at] = row % plan::kSubBlock == 0 ? 1 : exp2(gamma[at] - gamma[at - kGammaStride]);
        }
        syncBlock();

        // Warps of the same remainder by 4 share a scheduler: each of these gets early and late tokens alike.
        constexpr int kGroups = plan::kSubBlock / kTokens;
        static_assert(kGroups == 4);
        const int block = warp() / kGroups * plan::kSubBlock, skipped = (warp() + warp() / kGroups) % kGroups * kTokens;
        const int part = threadIndex() % kParts, first = block + skipped + lane() / kParts;
        float query[plan::kSubBlock]{}, erase[plan::kSubBlock]{};
#pragma unroll 1
        for (int channel = part * 2; channel < K; channel += 2 * kParts) {
            Pair passed{0, 0};
#pragma unroll
            for (int i = 0; i < plan::kSubBlock; ++i) {
                if (i / kTokens * kTokens < skipped)
                    continue;
                const int row = block + i, at = row * kStride + channel;
                const Pair q = loadPair(in<Element>(Shared::q) + at), k = loadPair(in<Element>(Shared::k) + at);
                const Pair b = loadPair(in<Element>(Shared::b) + at);
                const float* const own = decay + row * kGammaStride + channel;
                passed = {row == first ? k.first : passed.first * own[0], row == first ? k.second : passed.second * own[1]};
                query[i] += q.first * passed.first + q.second * passed.second;
                erase[i] += b.first * k.first * passed.first + b.second * k.second * passed.second;
            }
        }
#pragma unroll
        for (int i = 0; i < plan::kSubBlock; ++i) {
#pragma unroll
            for (int distance = 1; distance < kParts; distance *= 2) {
                query[i] += shuffleXor(query[i], distance);
                erase[i] += shuffleXor(erase[i], distance);
            }
        }
        syncBlock();
#pragma unroll
        for (int i = 0; i < plan::kSubBlock; ++i) {
            if (i % kParts != part)
                continue;
            in<float>(Shared::query)[(block + i) * kScoreStride + first] = query[i] * m_arguments.scale;
            in<float>(Shared::erase)[(block + i) * kScoreStride + first] = erase[i];
        }
    }

    /// Pairs across sub-blocks: each decay is split at the first row of the later one, and both parts are at most 1.
    ASSAY_DEVICE void setFarScores()
    {
#pragma unroll
        for (int block = 1; block < plan::kSubBlocks; ++block) {
            const int split = block * plan::kSubBlock;
            stageFar(split);
            syncBlock();
            if (warp() < 2 * block) {
                const bool isQuery = warp() % 2 == 0;
                const int columns = warp() / 2 * 16;
                float scores[1][2][4];
                clear(scores);
                addProduct<K / 16, Order::Plain, Order::Transposed>(
                    scores, (isQuery ? in<Element>(Shared::nearQueries) : in<Element>(Shared::nearErases)), kStride,
                    in<Element>(Shared::farKeys) + columns * kStride, kStride);
                float* const to
                    = (isQuery ? in<float>(Shared::query) : in<float>(Shared::erase)) + split * kScoreStride + columns;
                const float scale = isQuery ? m_arguments.scale : 1;
                forEachPair(scores, [&](int row, int column, float first, float second) {
                    to[row * kScoreStride + column] = first * scale;
                    to[row * kScoreStride + column + 1] = second * scale;
                });
            }
            syncBlock();
        }
    }

    ASSAY_DEVICE void stageFar(int split)
    {
        const float* const gamma = in<float>(Shared::gamma);
        const float* const middle = gamma + split * kGammaStride;
        for (int i = threadIndex(); i < (split + plan::kSubBlock) * (K / 2); i += kThreads) {
            const int row = i / (K / 2), channel = i % (K / 2) * 2, at = row * kStride + channel;
            const float* const own = gamma + row * kGammaStride + channel;
            const Pair k = loadPair(in<Element>(Shared::k) + at);
            if (row < split) {
                storePair(in<Element>(Shared::farKeys) + at, k.first * exp2(middle[channel] - own[0]),
                          k.second * exp2(middle[channel + 1] - own[1]));
                continue;
            }
            const Pair q = loadPair(in<Element>(Shared::q) + at), b = loadPair(in<Element>(Shared::b) + at);
            const float first = exp2(own[0] - middle[channel]), second = exp2(own[1] - middle[channel + 1]);
            const int to = at - split * kStride;
            storePair(in<Element>(Shared::nearQueries) + to, q.first * first, q.second * second);
            storePair(in<Element>(Shared::nearErases) + to, b.first * k.first * first, b.second * k.second * second);
        }
    }

    ASSAY_DEVICE void writeScores()
    {
        writeLower(in<float>(Shared::query), nullptr, out(m_arguments.work.scores, plan::kChunk * plan::kChunk));
        syncBlock();
    }

    /// Rounds a lower triangle, zeros above it, into a tile and an array where there is one.
    ASSAY_DEVICE void writeLower(const float* from, Element* tile, Element* to)
    {
        for (int i = threadIndex(); i < plan::kChunk * plan::kChunk / 2; i += kThreads) {
            const int row = i / (plan::kChunk / 2), column = i % (plan::kChunk / 2) * 2;
            const float* const pair = from + row * kScoreStride + column;
            const float first = column <= row ? pair[0] : 0, second = column + 1 <= row ? pair[1] : 0;
            if (tile)
                storePair(tile + row * kInverseStride + column, first, second);
            if (to)
                storePair(to + row * plan::kChunk + column, first, second);
        }
    }

    /// query := (I + erase)^{-1} by blocks of 16: those on the diagonal, then one diagonal of blocks after another. A block above
    /// the diagonal holds what the block across from it is made of.
    ASSAY_DEVICE void invert()
    {
        const float* const erase = in<float>(Shared::erase);
        float* const inverse = in<float>(Shared::query);
        invertDiagonal(erase, inverse);
        syncBlock();
        constexpr int kBlock = plan::kSubBlock, kElements = kBlock * kBlock;
        for (int distance = 1; distance < plan::kSubBlocks; ++distance) {
            const int count = (plan::kSubBlocks - distance) * kElements;
            for (int i = threadIndex(); i < count; i += kThreads) {
                const int left = i / kElements * kBlock, below = left + distance * kBlock;
                const int row = i % kElements / kBlock, column = i % kBlock;
                float sum = 0;
                for (int m = left; m < below; ++m)
                    sum += erase[(below + row) * kScoreStride + m] * inverse[m * kScoreStride + left + column];
                inverse[(left + row) * kScoreStride + below + column] = sum;
            }
            syncBlock();
            for (int i = threadIndex(); i < count; i += kThreads) {
                const int left = i / kElements * kBlock, below = left + distance * kBlock;
                const int row = i % kElements / kBlock, column = i % kBlock;
                float sum = 0;
                for (int m = 0; m <= row; ++m)
                    sum += inverse[(below + row) * kScoreStride + below + m]
                        * inverse[(left + m) * kScoreStride + below + column];
                inverse[(below + row) * kScoreStride + left + column] = -sum;
            }
            syncBlock();
        }
    }

    ASSAY_DEVICE void invertDiagonal(const float* erase, float* inverse)
    {
        if (threadIndex() >= plan::kChunk)
            return;
        const int block = threadIndex() / plan::kSubBlock * plan::kSubBlock, column = threadIndex() % plan::kSubBlock;
        const int first = block * kScoreStride + block;
        float x[plan::kSubBlock];
#pragma unroll
        for (int row = 0; row < plan::kSubBlock; ++row) {
            x[row] = row == column ? 1 : 0;
#pragma unroll
            for (int m = 0; m < row; ++m)
                x[row] -= erase[first + row * kScoreStride + m] * x[m];
            inverse[first + row * kScoreStride + column] = x[row];
        }
    }

    /// Neighbours of v and of w: what a thread has of the chunk.
    struct ValueWords {
        static constexpr int kCount = plan::kChunk * V / 2 / kThreads;
        std::uint32_t v[kCount]; ///< as they lie in memory: reading a value would wait for it
        Element w[kCount][2];
    };

    ASSAY_DEVICE void loadValues(ValueWords& words)
    {
        const Element* const v = rowsOf<Element>(m_arguments.v, m_place, m_head);
        const Element* const w = rowsOf<Element>(m_arguments.w, m_place, m_head);
#pragma unroll
        for (int i = 0; i < ValueWords::kCount; ++i) {
            const int pair = threadIndex() + i * kThreads, row = pair / (V / 2), channel = pair % (V / 2) * 2;
            words.v[i] = 0;
            words.w[i][0] = words.w[i][1] = Element{0};
            if (row >= m_place.rows)
                continue;
            words.v[i] = *reinterpret_cast<const std::uint32_t*>(v + row * m_arguments.v.token + channel);
            const Element* const gates = w + row * m_arguments.w.token;
            words.w[i][0] = gates[channel * m_arguments.w.channel];
            words.w[i][1] = gates[(channel + 1) * m_arguments.w.channel];
        }
    }

    /// Tokens as seen from the chunk's ends, in the place of the tokens.
    ASSAY_DEVICE void decayTokens(const ValueWords& words)
    {
        const float* const gamma = in<float>(Shared::gamma);
        const float* const end = gamma + (plan::kChunk - 1) * kGammaStride;
        for (int i = threadIndex(); i < plan::kChunk * K / 2; i += kThreads) {
            const int row = i / (K / 2), channel = i % (K / 2) * 2, at = row * kStride + channel;
            const float* const own = gamma + row * kGammaStride + channel;
            const float first = exp2(own[0]), second = exp2(own[1]), scale = m_arguments.scale;
            Element *const q = in<Element>(Shared::q) + at, *const k = in<Element>(Shared::k) + at;
            Element* const b = in<Element>(Shared::b) + at;
            const Pair query = loadPair(q), key = loadPair(k), erase = loadPair(b);
            storePair(q, query.first * first * scale, query.second * second * scale);
            storePair(b, -(erase.first * key.first * first), -(erase.second * key.second * second));
            storePair(k, key.first * exp2(end[channel] - own[0]), key.second * exp2(end[channel + 1] - own[1]));
        }
        for (int i = threadIndex(); i < K; i += kThreads)
            m_arguments.work.totalDecay[std::int64_t{m_slot} * K + i] = exp2(end[i]);
        setWrites(words);
        writeLower(in<float>(Shared::query), in<Element>(Shared::inverse),
                   out(m_arguments.work.inverse, plan::kChunk * plan::kChunk));
        syncBlock();
    }

    ASSAY_DEVICE void setWrites(const ValueWords& words)
    {
#pragma unroll
        for (int i = 0; i < ValueWords::kCount; ++i) {
            const int pair = threadIndex() + i * kThreads, row = pair / (V / 2), channel = pair % (V / 2) * 2;
            const Pair v = unpack<Element>(words.v[i]);
            storePair(in<Element>(Shared::writes) + row * plan::elementStride(V) + channel, v.first * toFloat(words.w[i][0]),
                      v.second * toFloat(words.w[i][1]));
        }
    }

    ASSAY_DEVICE void multiplyByInverse()
    {
        const Workspace& work = m_arguments.work;
        const int row = warp() % plan::kSubBlocks * 16, part = warp() / plan::kSubBlocks;
        const Element* const inverse = in<Element>(Shared::inverse);
        multiplyInto<Order::Plain, K>(inverse + row * kInverseStride, Shared::b, out(work.w, plan::kChunk * K), row, part);
        multiplyInto<Order::Plain, V>(inverse + row * kInverseStride, Shared::writes, out(work.u, plan::kChunk * V), row, part);
        writeTile<kThreads, K>(in<Element>(Shared::q), out(work.queries, plan::kChunk * K), K, plan::kChunk);
        writeTile<kThreads, K>(in<Element>(Shared::k), out(work.keysOut, plan::kChunk * K), K, plan::kChunk);
        if (!work.y)
            return;
        multiplyInto<Order::Transposed, K>(inverse + row, Shared::k, out(work.y, plan::kChunk * K), row, part);
        writeTile<kThreads, K>(in<Element>(Shared::b), out(work.negErases, plan::kChunk * K), K, plan::kChunk);
    }

    /// 16 rows and a part of the columns of the inverse, or its transpose, times a tile.
    template <Order A, int Columns>
    ASSAY_DEVICE void multiplyInto(const Element* inverse, plan::Span tile, Element* to, int row, int part)
    {
        constexpr int kStrideB = plan::elementStride(Columns), kOwn = Columns * plan::kSubBlocks / (kThreads / 32);
        float results[1][kOwn / 8][4];
        clear(results);
        addProduct<plan::kChunk / 16, A, Order::Plain>(results, inverse, kInverseStride, in<Element>(tile) + part * kOwn,
                                                       kStrideB);
        store(results, to + row * Columns + part * kOwn, Columns);
    }

    const Arguments& m_arguments;
    int m_slot, m_head;
    ChunkPlace m_place;
    char* m_shared;
};

} // namespace assay::gdn::cuda

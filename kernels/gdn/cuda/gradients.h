// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/steps.h"
#include "kernels/gdn/cuda/tile_io.h"

/// Gradients of a chunk's inputs once the states and their gradients are known: a block for 64 key channels of a chunk and head,
/// a warp for 16 of them and all tokens.
///
/// dg_t is the sum over everything that decays by e^{g_t}, from the sums that make dq, db and dk, before they are rounded. What a
/// token passes to itself and a state that has not decayed yet would cancel in it and is left out.
namespace assay::gdn::cuda {

template <typename Element, int K, int V, Gate G> class Gradients {
    using Shared = plan::GradientShared<V>;
    static constexpr int kThreads = plan::kGradientThreads;
    static constexpr int kChannels = plan::kChannelTile;
    static constexpr int kBlock = plan::kSubBlock;
    static constexpr int kStride = plan::elementStride(kChannels);
    static constexpr int kFloatStride = plan::floatStride(kChannels);
    static constexpr int kValueStride = plan::elementStride(V);
    static constexpr int kScoreStride = plan::elementStride(plan::kChunk);
    static constexpr int kParts = K / kChannels;
    static constexpr int kQuads = kChannels / 4;
    static_assert(kThreads == 2 * kChannels && kBlock % (kThreads / kQuads) == 0);

    using Results = float[plan::kSubBlocks][2][4];

public:
    ASSAY_DEVICE Gradients(const Arguments& arguments, int slot, int part, char* shared)
        : m_arguments(arguments)
        , m_slot(slot)
        , m_head(slot % arguments.sizes.heads)
        , m_part(part)
        , m_place(arguments.work.places[slot / arguments.sizes.heads])
        , m_shared(shared)
    {
    }

    ASSAY_DEVICE void run()
    {
        if (m_place.rows == 0)
            return;
        startStates();
        writeValueGrads();
        setScoreGrads();
        sumLeaving();
        Results query, erase, key, pairKey;
        multiplyStates(query, erase, key);
        syncBlock();
        loadTokens();
        decayStateParts(query, erase, key);
        clear(pairKey);
        if constexpr (G == Gate::Token) {
            addPairs(query, erase, pairKey);
        } else {
            addNear(query, erase, pairKey);
            addFarRows(query, erase);
            addFarColumns<false>(pairKey);
            addFarColumns<true>(pairKey);
        }
        writeKeyGrads(query, erase, key, pairKey);
        writeDecayGrads(query, erase, key, pairKey);
    }

private:
    template <typename T> ASSAY_DEVICE T* in(plan::Span span) { return at<T>(m_shared, span); }
    ASSAY_DEVICE int firstChannel() const { return m_part * kChannels; }
    ASSAY_DEVICE int warpChannel() const { return warp() * 16; }

    /// Starts to copy what the products with states take; writeValueGrads() waits for it.
    ASSAY_DEVICE void startStates()
    {
        const Workspace& work = m_arguments.work;
        const std::int64_t tile = std::int64_t{m_slot} * plan::kChunk * V;
        const std::int64_t state = (std::int64_t{m_slot} * K + firstChannel()) * V;
        copyInput<kThreads, V>(in<Element>(Shared::outputGrad), m_arguments.outputGrad, m_place, m_head, 0);
        copyTile<kThreads, V>(in<Element>(Shared::writes), static_cast<const Element*>(work.writes) + tile, V, plan::kChunk,
                              plan::kChunk);
        copyTile<kThreads, V>(in<Element>(Shared::p), static_cast<const Element*>(work.p) + tile, V, plan::kChunk, plan::kChunk);
        copyTile<kThreads, V>(in<Element>(Shared::state), static_cast<const Element*>(work.states) + state, V, kChannels,
                              kChannels);
        copyTile<kThreads, V>(in<Element>(Shared::stateGrad), static_cast<const Element*>(work.stateGrads) + state, V, kChannels,
                              kChannels);
        commitCopies();
        prefetchTokens();
        if constexpr (G == Gate::Token)
            sumTokenDecays();
    }

    /// What loadTokens() reads once the states' products have made room for it.
    ASSAY_DEVICE void prefetchTokens()
    {
        const int row = threadIndex() % plan::kChunk;
        if (row >= m_place.rows)
            return;
        if (threadIndex() < plan::kChunk) {
            prefetch(rowsOf<Element>(m_arguments.q, m_place, m_head) + row * m_arguments.q.token + firstChannel());
            prefetch(rowsOf<Element>(m_arguments.k, m_place, m_head) + row * m_arguments.k.token + firstChannel());
        } else {
            prefetch(rowsOf<Element>(m_arguments.b, m_place, m_head) + row * m_arguments.b.token
                     + firstChannel() * m_arguments.b.channel);
            const float* const g = rowsOf<float>(m_arguments.g, m_place, m_head) + row * m_arguments.g.token
                + firstChannel() * m_arguments.g.channel;
            prefetch(g);
            prefetch(g + kChannels / 2 * m_arguments.g.channel); // a row of them is two lines long
        }
    }

    /// tokenGamma := the sums of g up to each token, as sumDecays() has them for a channel.
    ASSAY_DEVICE void sumTokenDecays()
    {
        constexpr float kLog2E = 1.4426950408889634F;
        if (threadIndex() >= plan::kChunk)
            return;
        const float* const g = rowsOf<float>(m_arguments.g, m_place, m_head);
        const int rows = threadIndex() < m_place.rows ? threadIndex() + 1 : m_place.rows;
        float sum = 0;
        for (int row = 0; row < rows; ++row)
            sum += g[row * m_arguments.g.token] * kLog2E;
        in<float>(Shared::tokenGamma)[threadIndex()] = sum;
    }

    /// scale do u^T at and below the diagonal, -p u^T below it. Blocks on the diagonal stay in fp32 too. Where a pair has one
    /// decay it is in them, and what a token passes to itself stays in fp32 alone.
    ASSAY_DEVICE void setScoreGrads()
    {
        const int column = warp() * 16;
        const Element* const writes = in<Element>(Shared::writes) + column * kValueStride;
        Results query, erase;
        clear(query);
        clear(erase);
        addProduct<V / 16, Order::Plain, Order::Transposed>(query, in<Element>(Shared::outputGrad), kValueStride, writes,
                                                            kValueStride);
        addProduct<V / 16, Order::Plain, Order::Transposed>(erase, in<Element>(Shared::p), kValueStride, writes, kValueStride);
        float* const near = in<float>(Shared::nearGrads) + warp() * kBlock * kBlock * 2;
        setScoreGrad(query, m_arguments.scale, 0, in<Element>(Shared::queryGrad) + column, near);
        setScoreGrad(erase, -1, 1, in<Element>(Shared::eraseGrad) + column, near + 1);
    }

    /// @param below  rows that an element must lie below the diagonal
    ASSAY_DEVICE void setScoreGrad(Results& products, float scale, int below, Element* to, float* near)
    {
        const int diagonal = warp() * 16;
        forEachPair(products, [&](int row, int column, float first, float second) {
            const int left = diagonal + column, right = left + 1;
            first = row >= left + below ? first * scale * tokenDecay(row, left) : 0;
            second = row >= right + below ? second * scale * tokenDecay(row, right) : 0;
            constexpr bool kLeavesSelf = G == Gate::Token;
            storePair(to + row * kScoreStride + column, kLeavesSelf && row == left ? 0 : first,
                      kLeavesSelf && row == right ? 0 : second);
            const int nearRow = row - diagonal;
            if (nearRow < 0 || nearRow >= kBlock)
                return;
            near[(nearRow * kBlock + column) * 2] = first;
            near[(nearRow * kBlock + column + 1) * 2] = second;
        });
    }

    /// Of a pair, where it has one decay: 2^(gamma_row - gamma_column).
    ASSAY_DEVICE float tokenDecay(int row, int column)
    {
        if constexpr (G == Gate::Token)
            return exp2(in<float>(Shared::tokenGamma)[row] - in<float>(Shared::tokenGamma)[column]);
        else
            return 1;
    }

    /// dv = w p, dw = v p. The blocks of a chunk take turns with its rows. v and w are on their way together with the states.
    ASSAY_DEVICE void writeValueGrads()
    {
        const Element* const v = rowsOf<Element>(m_arguments.v, m_place, m_head);
        const Element* const w = rowsOf<Element>(m_arguments.w, m_place, m_head);
        constexpr int kCount = plan::kChunk / kParts * (V / 2) / kThreads, kRows = kThreads / (V / 2) * kParts;
        const int first = threadIndex() / (V / 2) * kParts + m_part, channel = threadIndex() % (V / 2) * 2;
        std::uint32_t values[kCount];
        Element gates[kCount][2];
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            const int row = first + i * kRows;
            if (row >= m_place.rows)
                continue;
            values[i] = *reinterpret_cast<const std::uint32_t*>(v + row * m_arguments.v.token + channel);
            const Element* const gate = w + row * m_arguments.w.token;
            gates[i][0] = gate[channel * m_arguments.w.channel];
            gates[i][1] = gate[(channel + 1) * m_arguments.w.channel];
        }
        waitForCopies<0>();
        syncBlock();
        Element *const dv = static_cast<Element*>(m_arguments.dv), *const dw = static_cast<Element*>(m_arguments.dw);
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            const int row = first + i * kRows;
            if (row >= m_place.rows)
                continue;
            const Pair p = loadPair(in<Element>(Shared::p) + row * kValueStride + channel);
            const std::int64_t to = outputRow(row) * V + channel;
            const Pair value = unpack<Element>(values[i]);
            storePair(dv + to, p.first * toFloat(gates[i][0]), p.second * toFloat(gates[i][1]));
            storePair(dw + to, p.first * value.first, p.second * value.second);
        }
    }

    ASSAY_DEVICE std::int64_t outputRow(int row) const
    {
        return (std::int64_t{m_place.batch} * m_arguments.sizes.tokens + m_place.first + row) * m_arguments.sizes.heads + m_head;
    }

    /// What passes through the chunk, by channel: the state that enters times the gradient of the one that leaves. Two threads a
    /// channel; the decay is left to who adds the two.
    ASSAY_DEVICE void sumLeaving()
    {
        const int channel = threadIndex() % kChannels, half = threadIndex() / kChannels;
        const int first = channel * kValueStride + half * (V / 2);
        const Element *const state = in<Element>(Shared::state) + first, *const grad = in<Element>(Shared::stateGrad) + first;
        float sum = 0;
#pragma unroll 8
        for (int i = 0; i < V / 2; i += 2) {
            const Pair a = loadPair(state + i), b = loadPair(grad + i);
            sum += a.first * b.first + a.second * b.second;
        }
        in<float>(Shared::leaving)[threadIndex()] = sum;
    }

    /// What states pass to q, b k and k, before their decays.
    ASSAY_DEVICE void multiplyStates(Results& query, Results& erase, Results& key)
    {
        const int channel = warpChannel() * kValueStride;
        const Element *const state = in<Element>(Shared::state) + channel, *const grad = in<Element>(Shared::stateGrad) + channel;
        clear(query);
        clear(erase);
        clear(key);
        addProduct<V / 16, Order::Plain, Order::Transposed>(query, in<Element>(Shared::outputGrad), kValueStride, state,
                                                            kValueStride);
        addProduct<V / 16, Order::Plain, Order::Transposed>(erase, in<Element>(Shared::p), kValueStride, state, kValueStride);
        addProduct<V / 16, Order::Plain, Order::Transposed>(key, in<Element>(Shared::writes), kValueStride, grad, kValueStride);
    }

    ASSAY_DEVICE void loadTokens()
    {
        copyInput<kThreads, kChannels>(in<Element>(Shared::q), m_arguments.q, m_place, m_head, firstChannel());
        copyInput<kThreads, kChannels>(in<Element>(Shared::k), m_arguments.k, m_place, m_head, firstChannel());
        copyInput<kThreads, kChannels>(in<Element>(Shared::b), m_arguments.b, m_place, m_head, firstChannel());
        commitCopies();
        sumDecays<kThreads, kChannels>(in<float>(Shared::gamma), m_arguments.g, m_place, m_head, firstChannel());
        waitForCopies<0>();
        syncBlock();
    }

    ASSAY_DEVICE float gammaAt(int row, int channel)
    {
        return in<float>(Shared::gamma)[row * kFloatStride + channel];
    }

    ASSAY_DEVICE Quad gammaQuad(int row, int channel)
    {
        return loadQuad(in<float>(Shared::gamma) + row * kFloatStride + channel);
    }

    ASSAY_DEVICE void decayStateParts(Results& query, Results& erase, Results& key)
    {
        const float scale = m_arguments.scale;
        forEachElement([&](int row, int channel, int r, int t, int i) {
            const float gamma = gammaAt(row, channel), entering = exp2(gamma);
            query[r][t][i] *= entering * scale;
            erase[r][t][i] *= -entering;
            key[r][t][i] *= exp2(gammaAt(plan::kChunk - 1, channel) - gamma);
        });
    }

    /// use(row, channel of the block, indices of the element in Results), for a thread's own.
    template <typename Use> ASSAY_DEVICE void forEachElement(Use use)
    {
#pragma unroll
        for (int r = 0; r < plan::kSubBlocks; ++r) {
#pragma unroll
            for (int t = 0; t < 2; ++t) {
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    use(r * 16 + i / 2 * 8 + accumulatorRow(), warpChannel() + t * 8 + accumulatorColumn() + i % 2, r, t, i);
            }
        }
    }

    /// Pairs of one sub-block, each decay a product of the tokens' between the two: a thread takes a channel of one sub-block.
    /// Half of the sub-blocks at once, for room; the same instructions twice, as more of them than fit near the processor cost
    /// more than they do.
    ASSAY_DEVICE void addNear(Results& query, Results& erase, Results& pairKey)
    {
        const int channel = threadIndex() % kChannels, which = threadIndex() / kChannels;
#pragma unroll 1
        for (int half = 0; half < 2; ++half) {
            computeNear((half * 2 + which) * kBlock, channel, which * kBlock * kFloatStride + channel);
            syncBlock();
            if (half == 0)
                takeNear<0>(query, erase, pairKey);
            else
                takeNear<1>(query, erase, pairKey);
            syncBlock();
        }
    }

    template <int Half> ASSAY_DEVICE void takeNear(Results& query, Results& erase, Results& pairKey)
    {
#pragma unroll
        for (int b = 0; b < 2; ++b) {
            const int r = Half * 2 + b;
#pragma unroll
            for (int t = 0; t < 2; ++t) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const int row = b * kBlock + i / 2 * 8 + accumulatorRow();
                    const int from = row * kFloatStride + warpChannel() + t * 8 + accumulatorColumn() + i % 2;
                    query[r][t][i] += in<float>(Shared::nearQuery)[from];
                    erase[r][t][i] += in<float>(Shared::nearErase)[from];
                    pairKey[r][t][i] += in<float>(Shared::nearKey)[from];
                }
            }
        }
    }

    /// @param to  of the sub-block's first row in the near results
    ASSAY_DEVICE void computeNear(int first, int channel, int to)
    {
        const float* const grads = in<float>(Shared::nearGrads) + first * kBlock * 2;
        float decay[kBlock], query[kBlock], erase[kBlock], queryGrad[kBlock]{}, eraseGrad[kBlock]{};
        decay[0] = 1;
#pragma unroll
        for (int i = 0; i < kBlock; ++i) {
            const int at = (first + i) * kStride + channel;
            query[i] = toFloat(in<Element>(Shared::q)[at]);
            erase[i] = toFloat(in<Element>(Shared::b)[at]) * toFloat(in<Element>(Shared::k)[at]);
            if (i > 0)
                decay[i] = exp2(gammaAt(first + i, channel) - gammaAt(first + i - 1, channel));
        }
#pragma unroll
        for (int j = 0; j < kBlock; ++j) {
            const float key = toFloat(in<Element>(Shared::k)[(first + j) * kStride + channel]);
            float passed = 1, keyGrad = 0;
#pragma unroll
            for (int i = j + 1; i < kBlock; ++i) {
                const float forQuery = grads[(i * kBlock + j) * 2], forErase = grads[(i * kBlock + j) * 2 + 1];
                passed *= decay[i];
                const float decayed = passed * key;
                queryGrad[i] += forQuery * decayed;
                eraseGrad[i] += forErase * decayed;
                keyGrad += (forQuery * query[i] + forErase * erase[i]) * passed;
            }
            in<float>(Shared::nearKey)[to + j * kFloatStride] = keyGrad;
        }
#pragma unroll
        for (int i = 0; i < kBlock; ++i) {
            in<float>(Shared::nearQuery)[to + i * kFloatStride] = queryGrad[i];
            in<float>(Shared::nearErase)[to + i * kFloatStride] = eraseGrad[i];
        }
    }

    /// What pairs pass, where each has one decay: plain products.
    ASSAY_DEVICE void addPairs(Results& query, Results& erase, Results& pairKey)
    {
        static_assert(Shared::far.bytes >= plan::elementTile(0, plan::kChunk, kChannels).bytes);
        Element* const erases = in<Element>(Shared::far);
        for (int i = threadIndex(); i < plan::kChunk * (kChannels / 2); i += kThreads) {
            const int at = i / (kChannels / 2) * kStride + i % (kChannels / 2) * 2;
            const Pair b = loadPair(in<Element>(Shared::b) + at), k = loadPair(in<Element>(Shared::k) + at);
            storePair(erases + at, b.first * k.first, b.second * k.second);
        }
        syncBlock();
        constexpr int kSteps = plan::kChunk / 16;
        const Element *const forQuery = in<Element>(Shared::queryGrad), *const forErase = in<Element>(Shared::eraseGrad);
        const Element* const keys = in<Element>(Shared::k) + warpChannel();
        addProduct<kSteps, Order::Plain, Order::Plain>(query, forQuery, kScoreStride, keys, kStride);
        addProduct<kSteps, Order::Plain, Order::Plain>(erase, forErase, kScoreStride, keys, kStride);
        addProduct<kSteps, Order::Transposed, Order::Plain>(pairKey, forQuery, kScoreStride,
                                                            in<Element>(Shared::q) + warpChannel(), kStride);
        addProduct<kSteps, Order::Transposed, Order::Plain>(pairKey, forErase, kScoreStride, erases + warpChannel(), kStride);
    }

    /// First row, among the staged ones, of those before block @p block: 0, 16, 48.
    static constexpr ASSAY_DEVICE int rowsBefore(int block)
    {
        return block * (block - 1) / 2 * kBlock;
    }
    /// The same of those behind it: 0, 48, 80.
    static constexpr ASSAY_DEVICE int rowsBehind(int block)
    {
        return (block * plan::kSubBlocks - block * (block + 1) / 2) * kBlock;
    }

    /// What keys of earlier sub-blocks pass to q and b k. Decays are split at the first row of the later sub-block.
    ASSAY_DEVICE void addFarRows(Results& query, Results& erase)
    {
        const int channel = threadIndex() % kQuads * 4;
#pragma unroll 1
        for (int block = 1; block < plan::kSubBlocks; ++block) {
            const Quad split = gammaQuad(block * kBlock, channel);
            Element* const to = in<Element>(Shared::far) + rowsBefore(block) * kStride + channel;
#pragma unroll 2
            for (int row = threadIndex() / kQuads; row < block * kBlock; row += kThreads / kQuads) {
                const Quad gamma = gammaQuad(row, channel), key = loadQuad(in<Element>(Shared::k) + row * kStride + channel);
                Quad decayed;
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    decayed.of[i] = key.of[i] * exp2(split.of[i] - gamma.of[i]);
                storeQuad(to + row * kStride, decayed);
            }
        }
        syncBlock();
        addFarRow<1>(query, erase);
        addFarRow<2>(query, erase);
        addFarRow<3>(query, erase);
        syncBlock();
    }

    template <int Block> ASSAY_DEVICE void addFarRow(Results& query, Results& erase)
    {
        const Element* const keys = in<Element>(Shared::far) + rowsBefore(Block) * kStride + warpChannel();
        const int row = Block * kBlock * kScoreStride;
        float toQuery[1][2][4], toErase[1][2][4];
        clear(toQuery);
        clear(toErase);
        addProduct<Block, Order::Plain, Order::Plain>(toQuery, in<Element>(Shared::queryGrad) + row, kScoreStride, keys, kStride);
        addProduct<Block, Order::Plain, Order::Plain>(toErase, in<Element>(Shared::eraseGrad) + row, kScoreStride, keys, kStride);
#pragma unroll
        for (int t = 0; t < 2; ++t) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int channel = warpChannel() + t * 8 + accumulatorColumn() + i % 2;
                const float decay
                    = exp2(gammaAt(Block * kBlock + i / 2 * 8 + accumulatorRow(), channel) - gammaAt(Block * kBlock, channel));
                query[Block][t][i] += toQuery[0][t][i] * decay;
                erase[Block][t][i] += toErase[0][t][i] * decay;
            }
        }
    }

    /// What q, or b k, of later sub-blocks pass to k. Decays are split at the last row of the earlier sub-block.
    template <bool IsErase> ASSAY_DEVICE void addFarColumns(Results& pairKey)
    {
        const int channel = threadIndex() % kQuads * 4;
        const Element* const tokens = (IsErase ? in<Element>(Shared::b) : in<Element>(Shared::q)) + channel;
#pragma unroll 1
        for (int block = 0; block < plan::kSubBlocks - 1; ++block) {
            const int next = (block + 1) * kBlock;
            const Quad split = gammaQuad(next - 1, channel);
            Element* const to = in<Element>(Shared::far) + (rowsBehind(block) - next) * kStride + channel;
#pragma unroll 2
            for (int row = next + threadIndex() / kQuads; row < plan::kChunk; row += kThreads / kQuads) {
                const Quad gamma = gammaQuad(row, channel);
                Quad token = loadQuad(tokens + row * kStride);
                if (IsErase) {
                    const Quad key = loadQuad(in<Element>(Shared::k) + row * kStride + channel);
#pragma unroll
                    for (int i = 0; i < 4; ++i)
                        token.of[i] *= key.of[i];
                }
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    token.of[i] *= exp2(gamma.of[i] - split.of[i]);
                storeQuad(to + row * kStride, token);
            }
        }
        syncBlock();
        const Element* const grads = (IsErase ? in<Element>(Shared::eraseGrad) : in<Element>(Shared::queryGrad));
        addFarColumn<0>(pairKey, grads);
        addFarColumn<1>(pairKey, grads);
        addFarColumn<2>(pairKey, grads);
        syncBlock();
    }

    template <int Block> ASSAY_DEVICE void addFarColumn(Results& pairKey, const Element* grads)
    {
        constexpr int kNext = (Block + 1) * kBlock;
        float toKey[1][2][4];
        clear(toKey);
        addProduct<plan::kSubBlocks - 1 - Block, Order::Transposed, Order::Plain>(
            toKey, grads + kNext * kScoreStride + Block * kBlock, kScoreStride,
            in<Element>(Shared::far) + rowsBehind(Block) * kStride + warpChannel(), kStride);
#pragma unroll
        for (int t = 0; t < 2; ++t) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int channel = warpChannel() + t * 8 + accumulatorColumn() + i % 2;
                pairKey[Block][t][i] += toKey[0][t][i]
                    * exp2(gammaAt(kNext - 1, channel) - gammaAt(Block * kBlock + i / 2 * 8 + accumulatorRow(), channel));
            }
        }
    }

    /// A token's inputs in one channel.
    struct Token {
        float q, k, b;
    };
    ASSAY_DEVICE Token tokenAt(int row, int channel)
    {
        const int at = row * kStride + channel;
        return {toFloat(in<Element>(Shared::q)[at]), toFloat(in<Element>(Shared::k)[at]), toFloat(in<Element>(Shared::b)[at])};
    }

    /// b k as it went into what pairs pass to k: rounded or not, it must cancel against that.
    ASSAY_DEVICE float eraseAt(int row, int channel)
    {
        if constexpr (G == Gate::Token)
            return toFloat(in<Element>(Shared::far)[row * kStride + channel]);
        const Token token = tokenAt(row, channel);
        return token.b * token.k;
    }

    /// Sums along a channel: what was written before a token and leaves, and what enters or is passed behind it. The terms change
    /// hands through shared memory, where a thread finds a channel's.
    ASSAY_DEVICE void writeDecayGrads(Results& query, Results& erase, Results& key, Results& pairKey)
    {
        forEachElement([&](int row, int channel, int r, int t, int i) {
            const Token token = tokenAt(row, channel);
            query[r][t][i] = token.q * query[r][t][i] + eraseAt(row, channel) * erase[r][t][i] - token.k * pairKey[r][t][i];
            key[r][t][i] *= token.k;
        });
        syncBlock(); // the terms lie where b k is
        float *const before = in<float>(Shared::before), *const behind = in<float>(Shared::behind);
        forEachElement([&](int row, int channel, int r, int t, int i) {
            before[row * kFloatStride + channel] = key[r][t][i];
            behind[row * kFloatStride + channel] = query[r][t][i];
        });
        syncBlock();
        const int channel = threadIndex() % kChannels;
        if (threadIndex() < kChannels)
            sumBefore(before + channel, channel);
        else
            sumBehind(behind + channel);
        syncBlock();
        float* const dg = m_arguments.dg + firstChannel() + channel;
#pragma unroll 4
        for (int row = threadIndex() / kChannels; row < m_place.rows; row += kThreads / kChannels) {
            const int at = row * kFloatStride + channel;
            dg[outputRow(row) * K] = before[at] + behind[at];
        }
    }

    /// Whether the chunk is the first of a sequence that starts from nothing.
    ASSAY_DEVICE bool entersEmpty() const
    {
        const SequencePlace sequence = m_arguments.work.sequences[m_place.sequence];
        return !m_arguments.initialState && sequence.firstChunk == m_slot / m_arguments.sizes.heads;
    }

    /// Each row of @p terms := those before it, and what leaves.
    ASSAY_DEVICE void sumBefore(float* terms, int channel)
    {
        const float* const leaving = in<float>(Shared::leaving) + channel;
        float sum = exp2(gammaAt(plan::kChunk - 1, channel)) * (leaving[0] + leaving[kChannels]);
#pragma unroll 8
        for (int row = 0; row < plan::kChunk; ++row) {
            const float own = terms[row * kFloatStride];
            terms[row * kFloatStride] = sum;
            sum += own;
        }
    }

    /// Each row of @p terms := the sum of it and those behind it. Where nothing enters the chunk all terms come to nothing, and
    /// the nearer end is taken: the first tokens' sums would else be what is left of many terms that cancel, above a gradient of
    /// 0 where the state is still empty.
    ASSAY_DEVICE void sumBehind(float* terms)
    {
        const int middle = entersEmpty() ? plan::kChunk / 2 : 0;
        float earlier = 0;
#pragma unroll 8
        for (int row = 0; row < middle; ++row) {
            const float own = terms[row * kFloatStride];
            terms[row * kFloatStride] = 0 - earlier; // not -0
            earlier += own;
        }
        float sum = 0;
#pragma unroll 8
        for (int row = plan::kChunk - 1; row >= middle; --row) {
            sum += terms[row * kFloatStride];
            terms[row * kFloatStride] = sum;
        }
    }

    ASSAY_DEVICE void writeKeyGrads(Results& query, Results& erase, Results& key, Results& pairKey)
    {
#pragma unroll
        for (int r = 0; r < plan::kSubBlocks; ++r) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = r * 16 + half * 8 + accumulatorRow();
                if (row >= m_place.rows)
                    continue;
                const float self = in<float>(Shared::nearGrads)[(row * kBlock + row % kBlock) * 2];
#pragma unroll
                for (int t = 0; t < 2; ++t) {
                    const int channel = warpChannel() + t * 8 + accumulatorColumn();
                    const std::int64_t to = outputRow(row) * K + firstChannel() + channel;
                    const int one = half * 2, two = one + 1;
                    const Token a = tokenAt(row, channel), b = tokenAt(row, channel + 1);
                    storePair(static_cast<Element*>(m_arguments.dq) + to, query[r][t][one] + self * a.k,
                              query[r][t][two] + self * b.k);
                    storePair(static_cast<Element*>(m_arguments.dk) + to,
                              key[r][t][one] + pairKey[r][t][one] + self * a.q + a.b * erase[r][t][one],
                              key[r][t][two] + pairKey[r][t][two] + self * b.q + b.b * erase[r][t][two]);
                    storePair(static_cast<Element*>(m_arguments.db) + to, a.k * erase[r][t][one], b.k * erase[r][t][two]);
                }
            }
        }
    }

    const Arguments& m_arguments;
    int m_slot, m_head, m_part;
    ChunkPlace m_place;
    char* m_shared;
};

} // namespace assay::gdn::cuda

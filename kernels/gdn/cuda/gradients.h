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
    static_assert(kThreads == 2 * kChannels);

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
        loadStates();
        setScoreGrads();
        writeValueGrads();
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
            addNear<0>(query, erase, pairKey);
            addNear<1>(query, erase, pairKey);
            addFarRows(query, erase);
            addFarColumns<false>(pairKey);
            addFarColumns<true>(pairKey);
        }
        writeDecayGrads(query, erase, key, pairKey);
        writeKeyGrads(query, erase, key, pairKey);
    }

private:
    template <typename T> ASSAY_DEVICE T* in(plan::Span span) { return at<T>(m_shared, span); }
    ASSAY_DEVICE int firstChannel() const { return m_part * kChannels; }
    ASSAY_DEVICE int warpChannel() const { return warp() * 16; }

    ASSAY_DEVICE void loadStates()
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
        if constexpr (G == Gate::Token)
            sumTokenDecays();
        waitForCopies<0>();
        syncBlock();
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

    /// dv = w p, dw = v p. The blocks of a chunk take turns with its rows.
    ASSAY_DEVICE void writeValueGrads()
    {
        const Element* const v = rowsOf<Element>(m_arguments.v, m_place, m_head);
        const Element* const w = rowsOf<Element>(m_arguments.w, m_place, m_head);
        for (int i = threadIndex(); i < plan::kChunk / kParts * (V / 2); i += kThreads) {
            const int row = i / (V / 2) * kParts + m_part, channel = i % (V / 2) * 2;
            if (row >= m_place.rows)
                break;
            const Pair p = loadPair(in<Element>(Shared::p) + row * kValueStride + channel);
            const Pair value = loadPair(v + row * m_arguments.v.token + channel);
            const Element* const gate = w + row * m_arguments.w.token;
            const std::int64_t to = outputRow(row) * V + channel;
            storePair(static_cast<Element*>(m_arguments.dv) + to, p.first * toFloat(gate[channel * m_arguments.w.channel]),
                      p.second * toFloat(gate[(channel + 1) * m_arguments.w.channel]));
            storePair(static_cast<Element*>(m_arguments.dw) + to, p.first * value.first, p.second * value.second);
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
        sumDecays<kChannels>(in<float>(Shared::gamma), m_arguments.g, m_place, m_head, firstChannel());
        waitForCopies<0>();
        syncBlock();
    }

    ASSAY_DEVICE float gammaAt(int row, int channel)
    {
        return in<float>(Shared::gamma)[row * kFloatStride + channel];
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
    /// @p Half of the sub-blocks at once, for room.
    template <int Half> ASSAY_DEVICE void addNear(Results& query, Results& erase, Results& pairKey)
    {
        const int channel = threadIndex() % kChannels, which = threadIndex() / kChannels;
        computeNear((Half * 2 + which) * kBlock, channel, which * kBlock * kFloatStride + channel);
        syncBlock();
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
        syncBlock();
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
    static constexpr int rowsBefore(int block)
    {
        return block * (block - 1) / 2 * kBlock;
    }
    /// The same of those behind it: 0, 48, 80.
    static constexpr int rowsBehind(int block)
    {
        return (block * plan::kSubBlocks - block * (block + 1) / 2) * kBlock;
    }

    /// What keys of earlier sub-blocks pass to q and b k. Decays are split at the first row of the later sub-block.
    ASSAY_DEVICE void addFarRows(Results& query, Results& erase)
    {
        for (int i = threadIndex(); i < plan::kFarRows * (kChannels / 2); i += kThreads) {
            const int staged = i / (kChannels / 2), channel = i % (kChannels / 2) * 2;
            const int block = staged < rowsBefore(2) ? 1 : staged < rowsBefore(3) ? 2 : 3;
            const int row = staged - block * (block - 1) / 2 * kBlock;
            const Pair key = loadPair(in<Element>(Shared::k) + row * kStride + channel);
            storePair(in<Element>(Shared::far) + staged * kStride + channel,
                      key.first * exp2(gammaAt(block * kBlock, channel) - gammaAt(row, channel)),
                      key.second * exp2(gammaAt(block * kBlock, channel + 1) - gammaAt(row, channel + 1)));
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
        for (int i = threadIndex(); i < plan::kFarRows * (kChannels / 2); i += kThreads) {
            const int staged = i / (kChannels / 2), channel = i % (kChannels / 2) * 2;
            const int block = staged < rowsBehind(1) ? 0 : staged < rowsBehind(2) ? 1 : 2;
            const int last = block * kBlock + kBlock - 1, row = staged - rowsBehind(block) + last + 1;
            Pair token = loadPair((IsErase ? in<Element>(Shared::b) : in<Element>(Shared::q)) + row * kStride + channel);
            if (IsErase) {
                const Pair key = loadPair(in<Element>(Shared::k) + row * kStride + channel);
                token = {token.first * key.first, token.second * key.second};
            }
            storePair(in<Element>(Shared::far) + staged * kStride + channel,
                      token.first * exp2(gammaAt(row, channel) - gammaAt(last, channel)),
                      token.second * exp2(gammaAt(row, channel + 1) - gammaAt(last, channel + 1)));
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

    /// Sums along a channel: what was written before a token and leaves, and what enters or is passed behind it. Eight rows lie
    /// in eight lanes; groups of eight follow each other.
    ASSAY_DEVICE void writeDecayGrads(Results& query, Results& erase, Results& key, Results& pairKey)
    {
#pragma unroll
        for (int t = 0; t < 2; ++t) {
#pragma unroll
            for (int side = 0; side < 2; ++side) {
                const int channel = warpChannel() + t * 8 + accumulatorColumn() + side;
                const float* const leaving = in<float>(Shared::leaving) + channel;
                syncWarp(); // keeps the compiler from loading the next channel's tokens while these need their registers
                float before = exp2(gammaAt(plan::kChunk - 1, channel)) * (leaving[0] + leaving[kChannels]);
                float sums[plan::kSubBlocks * 2];
#pragma unroll
                for (int group = 0; group < plan::kSubBlocks * 2; ++group) {
                    const float k = tokenAt(group * 8 + accumulatorRow(), channel).k;
                    sums[group] = addBefore(k * key[group / 2][t][group % 2 * 2 + side], before);
                }
                float behind = 0;
#pragma unroll
                for (int group = plan::kSubBlocks * 2 - 1; group >= 0; --group) {
                    const int row = group * 8 + accumulatorRow(), r = group / 2, i = group % 2 * 2 + side;
                    const Token token = tokenAt(row, channel);
                    const float passed
                        = token.q * query[r][t][i] + eraseAt(row, channel) * erase[r][t][i] - token.k * pairKey[r][t][i];
                    sums[group] += addBehind(passed, behind);
                    if (row < m_place.rows)
                        m_arguments.dg[outputRow(row) * K + firstChannel() + channel] = sums[group];
                }
            }
        }
    }

    /// Sum of @p x over earlier rows, those of earlier groups in @p carry, which takes up this group's.
    ASSAY_DEVICE float addBefore(float x, float& carry)
    {
        const int row = accumulatorRow();
#pragma unroll
        for (int distance = 1; distance < 8; distance *= 2) {
            const float other = shuffleUp(x, distance * 4);
            x += row >= distance ? other : 0;
        }
        const float earlier = shuffleUp(x, 4);
        const float result = carry + (row > 0 ? earlier : 0);
        carry += shuffle(x, 28 + lane() % 4);
        return result;
    }

    /// Sum of @p x over this and later rows.
    ASSAY_DEVICE float addBehind(float x, float& carry)
    {
        const int row = accumulatorRow();
#pragma unroll
        for (int distance = 1; distance < 8; distance *= 2) {
            const float other = shuffleDown(x, distance * 4);
            x += row + distance < 8 ? other : 0;
        }
        const float result = carry + x;
        carry += shuffle(x, lane() % 4);
        return result;
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

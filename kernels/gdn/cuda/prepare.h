// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/inverse.h"
#include "kernels/gdn/cuda/steps.h"
#include "kernels/gdn/cuda/token_words.h"

/// What a chunk is to the state, whatever the state: scores of its tokens, the inverse of the erase scores' system, its tokens
/// with their decays, and what do passes to its writes by its own tokens.
///
/// A warp has a group of four tokens in registers from the first to the last; a lane has neighbouring channels of them. Scores of
/// a group's pairs are added up there. All others are products on tensor cores: the chunk is halved, its halves are halved, and
/// so on down to groups, and the decay of a pair is split at the first token of the later half of the smallest part with both,
/// and there once more at the ends of the pair's groups: a group needs one exponential a halving and channel, and no exponent is
/// positive where no decay grows.
namespace assay::gdn::cuda {

template <typename Element, int K, int V, Gate G> class Prepare {
    using Shared = plan::PrepareShared<K, V>;
    static constexpr int kThreads = plan::kPrepareThreads;
    static constexpr int kGroup = plan::kGroup;
    static constexpr int kChunk = plan::kChunk;
    static constexpr int kOwn = K / 32;                        ///< channels of a lane
    static constexpr int kGates = G == Gate::Token ? 1 : kOwn; ///< decays of a token in a lane
    static constexpr int kDecays = G == Gate::Token ? 1 : K;   ///< of a token
    static constexpr int kOwnValues = V / 32;
    static constexpr int kStride = plan::elementStride(K);
    static constexpr int kValueStride = plan::elementStride(V);
    static constexpr int kScoreStride = plan::elementStride(kChunk);
    static constexpr int kNearStride = plan::floatStride(plan::kNearBlock);
    static constexpr int kInverting = kChunk / Shared::kHalf; ///< warps that invert half of a chunk's system each
    static constexpr int kSpread = 32;                        ///< columns of a product that a warp makes, see storeSpread()
    static_assert(kThreads == kChunk / kGroup * 32);

public:
    ASSAY_DEVICE Prepare(const Arguments& arguments, int slot, char* shared)
        : m_arguments(arguments)
        , m_warp(uniformWarp())
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
        const int first = m_warp * kGroup, channel = lane() * kOwn;
        Gates decays[kGroup];
        const float* const g = loadDecays(decays, m_arguments.g, m_place, m_head, first, G == Gate::Token ? 0 : channel);
        const Element* const q = loadWords<Element>(m_q, m_arguments.q, m_place, m_head, first, channel);
        const Element* const k = loadWords<Element>(m_k, m_arguments.k, m_place, m_head, first, channel);
        const Element* const b = loadWords<Element>(m_b, m_arguments.b, m_place, m_head, first, channel);
        if (constexpr int kAhead = plan::kPrepareAhead * kChunk;
            m_place.first + kAhead + kChunk <= m_arguments.sizes.tokens) { // what another block will ask for
            prefetchRows(g, m_arguments.g.token, kAhead);
            prefetchRows(q, m_arguments.q.token, kAhead);
            prefetchRows(k, m_arguments.k.token, kAhead);
            prefetchRows(b, m_arguments.b.token, kAhead);
        }
        addDecays(decays);
        if constexpr (G == Gate::Channels)
            setGroupScores();
        syncBlock();
        const Gates before = decayBefore();
        startGamma(before);
        if constexpr (G == Gate::Token)
            setTokenGamma(before, decays);
        syncBlock();
        decayTokens();
        Values values; // on their way while the scores are made
        loadValues(values.v, m_arguments.v);
        loadValues(values.w, m_arguments.w);
        if (isBackward())
            loadValues(values.outputGrads, m_arguments.outputGrad);
        syncBlock();
        if constexpr (G == Gate::Token)
            setTokenScores();
        else
            setScores();
        syncBlock();
        if (m_warp < kInverting) {
            invertHalf();
        } else {
            storeTokens(values);
            writeScores();
        }
        if (isBackward())
            storeOutputGrads(values);
        syncBlock();
        if (m_warp < kInverting)
            storeTokens(values); // the others waited for these warps
        else
            joinHalves();
        if (isBackward())
            passOutputGrads();
        syncBlock();
        multiplyByInverse();
    }

private:
    using Results = float[1][4][4]; ///< a warp's: 16 rows and 32 columns

    /// The lane's channels of the group's values.
    struct Values {
        Words<kOwnValues> v[kGroup], w[kGroup], outputGrads[kGroup];
    };

    ASSAY_DEVICE bool isBackward() const { return m_arguments.work.x != nullptr; }

    template <typename T> ASSAY_DEVICE T* in(plan::Span span) { return at<T>(m_shared, span); }

    /// The slot's part of an array of @p count elements a slot. A forward has no arrays for the backward.
    ASSAY_DEVICE Element* out(void* array, int count)
    {
        return array ? static_cast<Element*>(array) + std::int64_t{m_slot} * count : nullptr;
    }

    static ASSAY_DEVICE int gateOf(int channel) { return G == Gate::Token ? 0 : channel; }
    /// The lane's first decay in a row of them.
    static ASSAY_DEVICE int firstGate() { return G == Gate::Token ? 0 : lane() * kOwn; }

    using Gates = Decays<kGates>;

    ASSAY_DEVICE Gates& gates(plan::Span span, int row)
    {
        return *reinterpret_cast<Gates*>(in<float>(span) + row * kDecays + firstGate());
    }

    /// groupDecay := the sums of g over each group.
    /// @param g  becomes an exponent of 2
    ASSAY_DEVICE void addDecays(Gates (&g)[kGroup])
    {
        constexpr float kLog2E = 1.4426950408889634F;
#pragma unroll
        for (int i = 0; i < kGates; ++i) {
#pragma unroll
            for (int t = 0; t < kGroup; ++t) {
                g[t].of[i] *= kLog2E;
                m_decay[t][i] = t > 0 ? exp2(g[t].of[i]) : 1;
            }
            m_firstGamma.of[i] = g[0].of[i];
            m_lastGamma.of[i] = (g[0].of[i] + g[1].of[i]) + (g[2].of[i] + g[3].of[i]);
        }
        gates(Shared::groupDecay, m_warp) = m_lastGamma;
    }

    /// The sum of g over the groups before.
    ASSAY_DEVICE Gates decayBefore()
    {
        Gates sums{};
#pragma unroll 4
        for (int group = 0; group < m_warp; ++group) {
            const Gates earlier = gates(Shared::groupDecay, group);
#pragma unroll
            for (int i = 0; i < kGates; ++i)
                sums.of[i] += earlier.of[i];
        }
        return sums;
    }

    /// gamma of the group's first and last token; of all first ones and of the chunk's last for all.
    ASSAY_DEVICE void startGamma(const Gates& before)
    {
#pragma unroll
        for (int i = 0; i < kGates; ++i) {
            m_firstGamma.of[i] += before.of[i];
            m_lastGamma.of[i] += before.of[i];
        }
        gates(Shared::groupGamma, m_warp) = m_firstGamma;
        if (m_warp + 1 < plan::kGroups)
            return;
        gates(Shared::lastGamma, 0) = m_lastGamma;
        float* const totals = m_arguments.work.totalDecay + std::int64_t{m_slot} * K + lane() * kOwn;
#pragma unroll
        for (int i = 0; i < kOwn; ++i)
            totals[i] = exp2(m_lastGamma.of[gateOf(i)]);
    }

    /// Where a token has one decay, all tokens' gamma for all.
    ASSAY_DEVICE void setTokenGamma(const Gates& before, const Gates (&g)[kGroup])
    {
        if (lane() != 0)
            return;
        float gamma = before.of[0];
#pragma unroll
        for (int t = 0; t < kGroup; ++t) {
            gamma += g[t].of[0];
            in<float>(Shared::tokenGamma)[m_warp * kGroup + t] = gamma;
        }
    }

    ASSAY_DEVICE void loadValues(Words<kOwnValues> (&words)[kGroup], const Input& input)
    {
        loadWords<Element>(words, input, m_place, m_head, m_warp * kGroup, lane() * kOwnValues);
    }

    /// Scores of the pairs of a group. A later token's decay is that of the one before it times its own.
    ASSAY_DEVICE void setGroupScores()
    {
        float sums[kGroup * kGroup]{}; // [i][j]: query i, key j; above the diagonal: erase j, key i
#pragma unroll
        for (int word = 0; word < kOwn / 2; ++word) {
            float passed[kGroup][2];
#pragma unroll
            for (int i = 0; i < kGroup; ++i) {
                const Pair q = unpack<Element>(m_q[i].of[word]), k = unpack<Element>(m_k[i].of[word]);
                const Pair b = unpack<Element>(m_b[i].of[word]);
                const float query[2]{q.first, q.second}, key[2]{k.first, k.second};
                const float erase[2]{b.first * k.first, b.second * k.second};
#pragma unroll
                for (int c = 0; c < 2; ++c) {
                    const float decay = m_decay[i][gateOf(2 * word + c)];
#pragma unroll
                    for (int j = 0; j < i; ++j) {
                        passed[j][c] *= decay;
                        sums[i * kGroup + j] += query[c] * passed[j][c];
                        sums[j * kGroup + i] += erase[c] * passed[j][c];
                    }
                    passed[i][c] = key[c];
                    sums[i * kGroup + i] += query[c] * key[c];
                }
            }
        }
        fold<kGroup * kGroup / 2>(sums);
        const float sum = sums[0] + shuffleXor(sums[0], 1);
        const int first = m_warp * kGroup, row = lane() / 2 / kGroup, column = lane() / 2 % kGroup;
        if (lane() % 2 != 0)
            return;
        if (column <= row)
            in<Element>(Shared::query)[(first + row) * kScoreStride + first + column].bits
                = static_cast<std::uint16_t>(pack(sum * m_arguments.scale, 0, Element{}));
        else
            in<float>(Shared::nearErase)[(first + column) * kNearStride + first % plan::kNearBlock + row] = sum;
    }

    /// Adds up over the lanes: half of them go on with half of the sums, until two lanes have one.
    template <int Half> ASSAY_DEVICE void fold(float (&sums)[kGroup * kGroup])
    {
        const bool isUpper = (lane() & 2 * Half) != 0;
#pragma unroll
        for (int i = 0; i < Half; ++i) {
            const float given = isUpper ? sums[i] : sums[i + Half], kept = isUpper ? sums[i + Half] : sums[i];
            sums[i] = kept + shuffleXor(given, 2 * Half);
        }
        if constexpr (Half > 1)
            fold<Half / 2>(sums);
    }

    /// Tokens of one side of a halving among those of that side in the whole chunk.
    static ASSAY_DEVICE int placeOf(int token, int half)
    {
        return token / (2 * half) * half + token % half;
    }
    /// The other way round.
    static ASSAY_DEVICE int tokenOf(int place, int half, bool isLater)
    {
        return place / half * 2 * half + (isLater ? half : 0) + place % half;
    }

    /// Where a row's operands start, queries, b k or keys.
    enum Part { kQueries, kErases, kKeys };
    ASSAY_DEVICE Element* operand(int halving, Part part, int row)
    {
        constexpr int kRows = G == Gate::Token ? kChunk : Shared::kHalf;
        return in<Element>(Shared::operands) + ((halving * 3 + part) * kRows + row) * kStride;
    }

    ASSAY_DEVICE void storeOwn(Element* row, const Words<kOwn>& words)
    {
        *reinterpret_cast<Words<kOwn>*>(row + lane() * kOwn) = words;
    }

    /// Tokens as operands of the scores, and as seen from the chunk's ends: q's go out, k's and b's take the place of k and b.
    /// A decay is split once more, at the group's first token for what is later and at its last for what is earlier.
    ASSAY_DEVICE void decayTokens()
    {
        const Workspace& work = m_arguments.work;
        Halving halvings[plan::kHalvings];
        if constexpr (G == Gate::Channels) {
#pragma unroll
            for (int i = 0; i < plan::kHalvings; ++i)
                halvings[i] = halvingOf(i);
        }
        const Gates last = gates(Shared::lastGamma, 0);
        Gates entering, leaving;
#pragma unroll
        for (int i = 0; i < kGates; ++i) {
            entering.of[i] = exp2(m_firstGamma.of[i]);
            leaving.of[i] = exp2(last.of[i] - m_lastGamma.of[i]);
        }
        const int first = m_warp * kGroup;
        const std::int64_t own = (std::int64_t{m_slot} * kChunk + first) * K + lane() * kOwn;
        Element *const queries = static_cast<Element*>(work.queries) + own,
                       *const keysOut = static_cast<Element*>(work.keysOut) + own;
        Element* const negErases = work.negErases ? static_cast<Element*>(work.negErases) + own : nullptr;
#pragma unroll
        for (int t = 0; t < kGroup; ++t) {
            float q[kOwn], k[kOwn], erase[kOwn];
            unpack<Element>(q, m_q[t]);
            unpack<Element>(k, m_k[t]);
            unpack<Element>(erase, m_b[t]);
#pragma unroll
            for (int i = 0; i < kOwn; ++i)
                erase[i] *= k[i];
            if constexpr (G == Gate::Token) {
                storeOwn(operand(0, kQueries, first + t), m_q[t]);
                storeOwn(operand(0, kErases, first + t), packed<kOwn, Element>(erase));
                storeOwn(operand(0, kKeys, first + t), m_k[t]);
            }
#pragma unroll
            for (int i = 0; i < kOwn; ++i) {
#pragma unroll
                for (int earlier = 1; earlier <= t; ++earlier) {
                    q[i] *= m_decay[earlier][gateOf(i)];
                    erase[i] *= m_decay[earlier][gateOf(i)];
                }
#pragma unroll
                for (int later = kGroup - 1; later > t; --later)
                    k[i] *= m_decay[later][gateOf(i)];
            }
            if constexpr (G == Gate::Channels) {
#pragma unroll
                for (int i = 0; i < plan::kHalvings; ++i)
                    storeHalf(halvings[i], t, q, erase, k);
            }
#pragma unroll
            for (int i = 0; i < kOwn; ++i) {
                q[i] *= entering.of[gateOf(i)] * m_arguments.scale;
                erase[i] *= -entering.of[gateOf(i)];
                k[i] *= leaving.of[gateOf(i)];
            }
            m_k[t] = packed<kOwn, Element>(k);
            m_b[t] = packed<kOwn, Element>(erase);
            *reinterpret_cast<Words<kOwn>*>(queries + t * K) = packed<kOwn, Element>(q);
            *reinterpret_cast<Words<kOwn>*>(keysOut + t * K) = m_k[t];
            if (negErases)
                *reinterpret_cast<Words<kOwn>*>(negErases + t * K) = m_b[t];
        }
    }

    /// What the group is in a halving.
    struct Halving {
        bool isLater;
        Element* row; ///< the first token's operands: a query's place, where it is later
        Gates decay;  ///< from the group's first token to the split, or from its last
    };

    ASSAY_DEVICE Halving halvingOf(int number)
    {
        const int half = Shared::kHalf >> number, groups = half / kGroup, token = m_warp * kGroup;
        Halving halving;
        halving.isLater = (m_warp & groups) != 0;
        halving.row = operand(number, halving.isLater ? kQueries : kKeys, placeOf(token, half)) + lane() * kOwn;
        const Gates split = gates(Shared::groupGamma, (m_warp | groups) & -groups);
#pragma unroll
        for (int i = 0; i < kGates; ++i)
            halving.decay.of[i] = exp2(halving.isLater ? m_firstGamma.of[i] - split.of[i] : split.of[i] - m_lastGamma.of[i]);
        return halving;
    }

    /// A token as one of the later or of the earlier half.
    ASSAY_DEVICE void storeHalf(const Halving& halving, int t, const float (&q)[kOwn], const float (&erase)[kOwn],
                                const float (&k)[kOwn])
    {
        Element* const row = halving.row + t * kStride;
        float one[kOwn], two[kOwn];
        if (!halving.isLater) {
#pragma unroll
            for (int i = 0; i < kOwn; ++i)
                one[i] = k[i] * halving.decay.of[gateOf(i)];
            *reinterpret_cast<Words<kOwn>*>(row) = packed<kOwn, Element>(one);
            return;
        }
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
            one[i] = q[i] * halving.decay.of[gateOf(i)];
            two[i] = erase[i] * halving.decay.of[gateOf(i)];
        }
        *reinterpret_cast<Words<kOwn>*>(row) = packed<kOwn, Element>(one);
        *reinterpret_cast<Words<kOwn>*>(row + (kErases - kQueries) * Shared::kHalf * kStride) = packed<kOwn, Element>(two);
    }

    /// Scores of eight tokens' queries, and of their b k, with eight keys: two neighbours of each.
    struct Scores {
        float query[2], erase[2];
    };
    /// Those with Parts times eight keys.
    template <int Parts> ASSAY_DEVICE void multiplyEights(Scores (&scores)[Parts], int halving, int row, int column)
    {
        const int l = lane();
        const Element* const left = operand(halving, l % 16 < 8 ? kQueries : kErases, row + l % 8) + l / 16 * 8;
        const Element* const right = operand(halving, kKeys, column + l % 8) + l / 8 * 8;
        float results[Parts][2][4]{};
#pragma unroll
        for (int step = 0; step < K / 32; ++step) {
            std::uint32_t a[2][4], b[Parts][4];
            loadMatrices(a[0], left + step * 32);
            loadMatrices(a[1], left + step * 32 + 16);
#pragma unroll
            for (int i = 0; i < Parts; ++i)
                loadMatrices(b[i], right + i * 8 * kStride + step * 32);
#pragma unroll
            for (int i = 0; i < Parts; ++i) {
                multiply(results[i][0], a[0], b[i][0], b[i][1], Element{});
                multiply(results[i][1], a[1], b[i][2], b[i][3], Element{});
            }
        }
#pragma unroll
        for (int i = 0; i < Parts; ++i)
            scores[i] = {{results[i][0][0] + results[i][1][0], results[i][0][1] + results[i][1][1]},
                         {results[i][0][2] + results[i][1][2], results[i][0][3] + results[i][1][3]}};
    }

    /// Pairs of different groups: of the outermost halving 8 x 16 a warp by eight warps, of the next by four, of the others 8 x 8
    /// each by the last four.
    ASSAY_DEVICE void setScores()
    {
        static_assert(Shared::kHalf / 8 == 4 && plan::kHalvings == 4 && kThreads == 16 * 32);
        const int row = m_warp % 4;
        if (m_warp < 8) {
            setParts<2>(0, row, m_warp / 4 * 2);
        } else if (m_warp < 12) {
            setParts<2>(1, row, row & 2);
        } else {
            setParts<1>(2, row, row);
            setParts<1>(3, row, row);
        }
    }

    template <int Parts> ASSAY_DEVICE void setParts(int halving, int rows, int columns)
    {
        Scores scores[Parts];
        multiplyEights(scores, halving, rows * 8, columns * 8);
        const int half = Shared::kHalf >> halving, row = rows * 8 + accumulatorRow(), later = tokenOf(row, half, true);
#pragma unroll
        for (int i = 0; i < Parts; ++i) {
            const int column = (columns + i) * 8 + accumulatorColumn(), earlier = tokenOf(column, half, false);
            if (row / half != column / half) // of another part of the chunk
                continue;
            storeQueryScores(later, earlier, scores[i].query[0], scores[i].query[1]);
            storeEraseScores(later, earlier, scores[i].erase[0], scores[i].erase[1], half < plan::kNearBlock);
        }
    }

    ASSAY_DEVICE void storeQueryScores(int row, int column, float first, float second)
    {
        storePair(in<Element>(Shared::query) + row * kScoreStride + column, first * m_arguments.scale,
                  second * m_arguments.scale);
    }

    ASSAY_DEVICE void storeEraseScores(int row, int column, float first, float second, bool isNear)
    {
        if (isNear) {
            float* const pair = in<float>(Shared::nearErase) + row * kNearStride + column % plan::kNearBlock;
            pair[0] = first;
            pair[1] = second;
        } else {
            storeSplit(eraseTile().from(row * kScoreStride + column), first, second);
        }
    }

    /// All pairs, where a pair has one decay: it is applied to the products.
    ASSAY_DEVICE void setTokenScores()
    {
        const float* const gamma = in<float>(Shared::tokenGamma);
        const int rows = m_warp / 2;
        for (int columns = m_warp % 2; columns <= rows; columns += 2) {
            Scores all[1];
            multiplyEights(all, 0, rows * 8, columns * 8);
            Scores& scores = all[0];
            const int row = rows * 8 + accumulatorRow(), column = columns * 8 + accumulatorColumn();
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                // The exponent of a pair above the diagonal would be positive without bound.
                const float decay = column + i <= row ? exp2(gamma[row] - gamma[column + i]) : 0;
                scores.query[i] *= decay;
                scores.erase[i] *= decay;
            }
            storeQueryScores(row, column, scores.query[0], scores.query[1]);
            storeEraseScores(row, column, scores.erase[0], scores.erase[1], rows == columns);
        }
    }

    ASSAY_DEVICE SplitTile<Element> eraseTile()
    {
        return {in<Element>(Shared::erase), in<Element>(Shared::eraseRest)};
    }
    ASSAY_DEVICE SplitTile<Element> inverseTile()
    {
        return {in<Element>(Shared::inverse), in<Element>(Shared::inverseRest)};
    }

    /// The warp's half of the inverse.
    ASSAY_DEVICE void invertHalf()
    {
        const int square = m_warp * Shared::kHalf * (kScoreStride + 1);
        cuda::invertHalf(inverseTile().from(square), eraseTile().from(square),
                         in<float>(Shared::nearErase) + m_warp * Shared::kHalf * kNearStride);
    }

    /// What is below both, 16 x 16 a warp: the first ones that have nothing else to do.
    ASSAY_DEVICE void joinHalves()
    {
        const int part = m_warp - kInverting;
        if (part < 4)
            Inverse<Element, Shared::kHalf>::setBelow(inverseTile(), eraseTile(), part / 2 * 16, part % 2 * 16);
    }

    /// Stores a lane's words so that the four 8-column tiles of a product with 32 of the columns give a lane eight neighbours.
    template <int Count> ASSAY_DEVICE void storeSpread(Element* row, const Words<Count>& words)
    {
#pragma unroll
        for (int i = 0; i < Count / 2; ++i) {
            const int word = lane() * (Count / 2) + i;
            reinterpret_cast<std::uint32_t*>(row)[word / 16 * 16 + word % 4 * 4 + word % 16 / 4] = words.of[i];
        }
    }

    ASSAY_DEVICE void storeOutputGrads(const Values& values)
    {
#pragma unroll
        for (int t = 0; t < kGroup; ++t)
            storeSpread(in<Element>(Shared::outputGrads) + (m_warp * kGroup + t) * kValueStride, values.outputGrads[t]);
    }

    /// The right factors of the products with the inverse.
    ASSAY_DEVICE void storeTokens(const Values& values)
    {
#pragma unroll
        for (int t = 0; t < kGroup; ++t) {
            const int row = m_warp * kGroup + t;
            storeSpread(in<Element>(Shared::erases) + row * kStride, m_b[t]);
            storeSpread(in<Element>(Shared::keys) + row * kStride, m_k[t]);
            Words<kOwnValues> writes;
#pragma unroll
            for (int i = 0; i < kOwnValues / 2; ++i)
                writes.of[i] = multiplyWords(values.v[t].of[i], values.w[t].of[i], Element{});
            storeSpread(in<Element>(Shared::writes) + row * kValueStride, writes);
        }
    }

    /// Sets the scores above the diagonal to zero and writes them out, by the warps that do not invert.
    ASSAY_DEVICE void writeScores()
    {
        constexpr int kPieces = kChunk / 8, kOthers = kThreads - kInverting * 32;
        Element* const to = out(m_arguments.work.scores, kChunk * kChunk);
        for (int i = threadIndex() - kInverting * 32; i < kChunk * kPieces; i += kOthers) {
            const int row = i / kPieces, column = i % kPieces * 8;
            auto* const from = reinterpret_cast<Words<8>*>(in<Element>(Shared::query) + row * kScoreStride + column);
            Words<8> piece = *from;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int left = column + 2 * j;
                piece.of[j] &= left < row ? 0xFFFFFFFFU : left == row ? 0xFFFFU : 0U;
            }
            *from = piece;
            *reinterpret_cast<Words<8>*>(to + row * kChunk + column) = piece;
        }
    }

    /// writeGrads := scores^T do
    ASSAY_DEVICE void passOutputGrads()
    {
        if (!hasPart<V>())
            return;
        Results results;
        clear(results);
        forLower<Order::Transposed>(Shared::query, [&](int step, const std::uint32_t(&left)[4]) {
            addStep<V>(results, left, Shared::outputGrads, step);
        });
        store(results, in<Element>(Shared::writeGrads) + block() * plan::kSubBlock * kValueStride + part() * kSpread,
              kValueStride);
    }

    ASSAY_DEVICE void multiplyByInverse()
    {
        const Workspace& work = m_arguments.work;
        multiplyInto<Order::Plain>(Shared::erases, work.w, Shared::writes, work.u);
        if (isBackward())
            multiplyInto<Order::Transposed>(Shared::keys, work.y, Shared::writeGrads, work.x);
    }

    /// A warp's 32 columns and 16 rows of a product with a lower triangle. The same part's warps differ in their work, and so do
    /// those that share a scheduler.
    ASSAY_DEVICE int part() const
    {
        return m_warp / plan::kSubBlocks;
    }
    ASSAY_DEVICE int block() const
    {
        return (m_warp + part()) % plan::kSubBlocks;
    }
    template <int Columns> ASSAY_DEVICE bool hasPart() const
    {
        return Columns == kThreads / 32 / plan::kSubBlocks * kSpread || part() * kSpread < Columns;
    }

    /// Calls @p use(step, left) with each 16 x 16 of the warp's rows of a lower triangle, or of its transpose, that is not zero.
    template <Order A, typename Use> ASSAY_DEVICE void forLower(plan::Span triangle, Use use)
    {
        constexpr int kBlock = plan::kSubBlock;
        const Element* const rows = in<Element>(triangle) + block() * kBlock * (A == Order::Plain ? kScoreStride : 1);
#pragma unroll
        for (int step = 0; step < plan::kSubBlocks; ++step) {
            if (A == Order::Plain ? step > block() : step < block()) // nothing need be there
                continue;
            std::uint32_t left[4];
            loadLeft<A>(left, rows + step * kBlock * (A == Order::Plain ? 1 : kScoreStride), kScoreStride);
            use(step, left);
        }
    }

    /// results += left times 16 rows of the warp's columns of a tile.
    template <int Columns> ASSAY_DEVICE void addStep(Results& results, const std::uint32_t (&left)[4], plan::Span tile, int step)
    {
        constexpr int kStrideB = plan::elementStride(Columns);
        const Element* const rows = in<Element>(tile) + step * plan::kSubBlock * kStrideB + part() * kSpread;
#pragma unroll
        for (int pair = 0; pair < kSpread / 16; ++pair) {
            std::uint32_t right[4];
            loadRight<Order::Plain>(right, rows + pair * 16, kStrideB);
            multiply(results[0][2 * pair], left, right[0], right[1], Element{});
            multiply(results[0][2 * pair + 1], left, right[2], right[3], Element{});
        }
    }

    /// The inverse, or its transpose, times a tile of key channels and one of value channels, both stored by storeSpread().
    template <Order A> ASSAY_DEVICE void multiplyInto(plan::Span keyed, void* toKeyed, plan::Span valued, void* toValued)
    {
        Results byKeys, byValues;
        clear(byKeys);
        clear(byValues);
        forLower<A>(Shared::inverse, [&](int step, const std::uint32_t(&left)[4]) {
            if (hasPart<K>())
                addStep<K>(byKeys, left, keyed, step);
            if (hasPart<V>())
                addStep<V>(byValues, left, valued, step);
        });
        if (hasPart<K>())
            writePart<K>(byKeys, out(toKeyed, kChunk * K));
        if (hasPart<V>())
            writePart<V>(byValues, out(toValued, kChunk * V));
    }

    template <int Columns> ASSAY_DEVICE void writePart(const Results& results, Element* to)
    {
        to += (block() * plan::kSubBlock + accumulatorRow()) * Columns + part() * kSpread + lane() % 4 * 8;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            Words<8> words;
#pragma unroll
            for (int i = 0; i < 4; ++i)
                words.of[i] = pack(results[0][i][half * 2], results[0][i][half * 2 + 1], Element{});
            *reinterpret_cast<Words<8>*>(to + half * 8 * Columns) = words;
        }
    }

    const Arguments& m_arguments;
    int m_warp, m_slot, m_head;
    ChunkPlace m_place;
    char* m_shared;
    float m_decay[kGroup][kGates];        ///< of the group's tokens, the first one's is not used
    Gates m_firstGamma, m_lastGamma;      ///< of the group's first and last token
    Words<kOwn> m_q[kGroup];              ///< as they came
    Words<kOwn> m_k[kGroup], m_b[kGroup]; ///< as they came, then k 2^(gamma_C - gamma) and - b k 2^gamma
};

} // namespace assay::gdn::cuda

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/channel_gradients.h"
#include "kernels/gdn/cuda/steps.h"
#include "kernels/gdn/cuda/tile_io.h"

/// Gradients of a chunk's inputs once the states and their gradients are known: a block for 64 key channels of a chunk and head.
/// A warp takes 16 of them and two of the four sub-blocks of tokens, the first and the last or the two between, which have as
/// many distant pairs. What pairs of one sub-block pass is added at the end, channel by channel.
namespace assay::gdn::cuda {

template <typename Element, int K, int V, Gate G> class Gradients {
    using Shared = plan::GradientShared<V>;
    static constexpr int kThreads = plan::kGradientThreads;
    static constexpr int kChannels = plan::kChannelTile;
    static constexpr int kBlock = plan::kSubBlock;
    static constexpr int kStride = plan::elementStride(kChannels);
    static constexpr int kPairStride = plan::pairStride(kChannels);
    static constexpr int kValueStride = plan::elementStride(V);
    static constexpr int kScoreStride = plan::elementStride(plan::kChunk);
    static constexpr int kParts = K / kChannels;
    static constexpr int kQuads = kChannels / 4;
    static constexpr int kTiles = 2; ///< sub-blocks of a warp
    static_assert(kThreads == 32 * (kChannels / 16) * (plan::kSubBlocks / kTiles) && kThreads == kBlock * kQuads);

    using Results = float[kTiles][2][4];
    using Part = float[1][2][4];
    using Decays = DecayRows<kThreads, kChannels>;

public:
    ASSAY_DEVICE Gradients(const Arguments& arguments, int slot, int part, char* shared)
        : m_arguments(arguments)
        , m_slot(slot)
        , m_head(slot % arguments.sizes.heads)
        , m_part(part)
        , m_warp(uniformWarp())
        , m_place(arguments.work.places[slot / arguments.sizes.heads])
        , m_shared(shared)
    {
    }

    ASSAY_DEVICE void run()
    {
        startStates();
        if (m_place.rows == 0) {
            commitCopies();
            waitForCopies<0>();
            return;
        }
        startTokenGrads();
        writeValueGrads();
        setScoreGrads();
        sumLeaving();
        Results query, erase, key;
        multiplyStateGrad(key);
        syncBlock();
        Decays decays;
        startTokens(decays);
        multiplyState(query, erase);
        waitForCopies<0>();
        syncBlock();
        addDecays<kThreads, kChannels, kPairStride>(in<float>(Shared::gamma), decays);
        syncBlock();
        stageTokens();
        syncBlock();
        Part sums{};
        addPairs<0>(query, erase, key, sums);
        addPairs<1>(query, erase, key, sums);
        syncBlock();
        shareResults(query, erase, key, sums);
        syncBlock();
        ChannelGradients<Element, V, G>(m_shared).run();
        syncBlock();
        writeGrads();
    }

private:
    template <typename T> ASSAY_DEVICE T* in(plan::Span span) { return at<T>(m_shared, span); }
    ASSAY_DEVICE int firstChannel() const { return m_part * kChannels; }
    ASSAY_DEVICE int warpChannel() const { return m_warp % (kChannels / 16) * 16; }
    /// Of the warp's tile @p tile.
    ASSAY_DEVICE int subBlock(int tile) const { return m_warp < kChannels / 16 ? tile * (plan::kSubBlocks - 1) : 1 + tile; }

    /// Starts to copy what the steps before have left: before anybody knows which tokens the chunk has.
    ASSAY_DEVICE void startStates()
    {
        const Workspace& work = m_arguments.work;
        const std::int64_t tile = std::int64_t{m_slot} * plan::kChunk * V;
        const std::int64_t state = (std::int64_t{m_slot} * K + firstChannel()) * V;
        copyPacked<kThreads, V, plan::kChunk>(in<Element>(Shared::p), static_cast<const Element*>(work.p) + tile);
        copyPacked<kThreads, V, plan::kChunk>(in<Element>(Shared::writes), static_cast<const Element*>(work.writes) + tile);
        copyPacked<kThreads, V, kChannels>(in<Element>(Shared::stateGrad), static_cast<const Element*>(work.stateGrads) + state);
        copyPacked<kThreads, V, kChannels>(in<Element>(Shared::state), static_cast<const Element*>(work.states) + state);
    }

    /// The rest of what the products with states take; writeValueGrads() waits for all.
    ASSAY_DEVICE void startTokenGrads()
    {
        copyTokens<kThreads, V>(in<Element>(Shared::outputGrad), m_arguments.outputGrad, m_place, m_head, 0);
        commitCopies();
        prefetchTokens();
        if constexpr (G == Gate::Token)
            sumTokenDecays();
    }

    /// What startTokens() reads once there is room for it.
    ASSAY_DEVICE void prefetchTokens()
    {
        const int row = threadIndex() % plan::kChunk, which = threadIndex() / plan::kChunk;
        if (row >= m_place.rows)
            return;
        if (which == 3) {
            const float* const g = rowsOf<float>(m_arguments.g, m_place, m_head) + row * m_arguments.g.token
                + firstChannel() * m_arguments.g.channel;
            prefetch(g);
            prefetch(g + kChannels / 2 * m_arguments.g.channel); // a row of them is two lines long
            return;
        }
        const Input& input = which == 0 ? m_arguments.q : which == 1 ? m_arguments.k : m_arguments.b;
        prefetch(rowsOf<Element>(input, m_place, m_head) + row * input.token + firstChannel() * input.channel);
    }

    /// tokenGamma := the sums of g up to each token of its half, as addDecays() has them for a channel; the second half still
    /// lacks the first one's sum, which tokenDecay() adds.
    ASSAY_DEVICE void sumTokenDecays()
    {
        constexpr float kLog2E = 1.4426950408889634F;
        const int row = threadIndex();
        if (row >= plan::kChunk)
            return;
        const float* const g = rowsOf<float>(m_arguments.g, m_place, m_head);
        float sum = row < m_place.rows ? g[row * m_arguments.g.token] * kLog2E : 0;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const float earlier = shuffleUp(sum, distance);
            if (lane() >= distance)
                sum += earlier;
        }
        in<float>(Shared::tokenGamma)[row] = sum;
    }

    /// Of a pair, where it has one decay: 2^(gamma_row - gamma_column).
    ASSAY_DEVICE float tokenDecay(int row, int column)
    {
        if constexpr (G == Gate::Channels)
            return 1;
        const float* const gamma = in<float>(Shared::tokenGamma);
        const float between = row / 32 == column / 32 ? 0 : gamma[31];
        return exp2(between + (gamma[row] - gamma[column]));
    }

    /// dv = w p, dw = v p. The blocks of a chunk take turns with its rows. v and w are on their way together with the states.
    ASSAY_DEVICE void writeValueGrads()
    {
        const Element* const v = rowsOf<Element>(m_arguments.v, m_place, m_head);
        const Element* const w = rowsOf<Element>(m_arguments.w, m_place, m_head);
        constexpr int kPieces = V / 8, kRows = kThreads / kPieces * kParts, kCount = plan::kChunk / kRows;
        static_assert(kThreads % kPieces == 0 && plan::kChunk % kRows == 0);
        const int first = threadIndex() / kPieces * kParts + m_part, channel = threadIndex() % kPieces * 8;
        Piece values[kCount], gates[kCount];
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            const int row = first + i * kRows;
            if (row >= m_place.rows)
                continue;
            values[i] = *reinterpret_cast<const Piece*>(v + row * m_arguments.v.token + channel);
            const Element* const ofRow = w + row * m_arguments.w.token;
            if (m_arguments.w.channel == 1)
                gates[i] = *reinterpret_cast<const Piece*>(ofRow + channel);
            else
                gates[i].words[0] = ofRow->bits;
        }
        waitForCopies<0>();
        syncBlock();
        Element *const dv = static_cast<Element*>(m_arguments.dv), *const dw = static_cast<Element*>(m_arguments.dw);
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            const int row = first + i * kRows;
            if (row >= m_place.rows)
                continue;
            if (m_arguments.w.channel != 1) {
                const std::uint32_t both = gates[i].words[0] * 0x10001U;
                gates[i] = {{both, both, both, both}};
            }
            const Piece p = *reinterpret_cast<const Piece*>(in<Element>(Shared::p) + row * kValueStride + channel);
            const std::int64_t to = outputRow(row) * V + channel;
            *reinterpret_cast<Piece*>(dv + to) = product(p, gates[i]);
            *reinterpret_cast<Piece*>(dw + to) = product(p, values[i]);
        }
    }

    static ASSAY_DEVICE Piece product(const Piece& a, const Piece& b)
    {
        Piece result;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            result.words[i] = multiplyWords(a.words[i], b.words[i], Element{});
        return result;
    }

    ASSAY_DEVICE std::int64_t outputRow(int row) const
    {
        return (std::int64_t{m_place.batch} * m_arguments.sizes.tokens + m_place.first + row) * m_arguments.sizes.heads + m_head;
    }

    /// scale do u^T at and below the diagonal, -p u^T below it; a warp for 16 columns of one of them. Sub-blocks on the diagonal
    /// stay in fp32, those below it are rounded, those above it are left out.
    ASSAY_DEVICE void setScoreGrads()
    {
        const int block = m_warp % plan::kSubBlocks;
        const bool isErase = m_warp >= plan::kSubBlocks;
        const Element* const left = isErase ? in<Element>(Shared::p) : in<Element>(Shared::outputGrad);
        const Element* const right = in<Element>(Shared::writes) + block * kBlock * kValueStride;
        float products[plan::kSubBlocks][2][4];
        clear(products);
#pragma unroll 2
        for (int step = 0; step < V / 16; ++step) {
            std::uint32_t columns[4];
            loadRight<Order::Transposed>(columns, right + step * 16, kValueStride);
#pragma unroll
            for (int r = 0; r < plan::kSubBlocks; ++r) {
                if (r < block)
                    continue;
                std::uint32_t rows[4];
                loadLeft<Order::Plain>(rows, left + r * 16 * kValueStride + step * 16, kValueStride);
                multiply(products[r][0], rows, columns[0], columns[1], Element{});
                multiply(products[r][1], rows, columns[2], columns[3], Element{});
            }
        }
        const float scale = isErase ? -1 : m_arguments.scale;
        const int below = isErase ? 1 : 0;
        float* const near = in<float>(Shared::nearGrads) + block * kBlock * kBlock * 2 + below;
        Element* const far = (isErase ? in<Element>(Shared::eraseGrad) : in<Element>(Shared::queryGrad)) + block * kBlock;
        forEachPair(products, [&](int row, int column, float first, float second) {
            const int diagonal = row - block * kBlock;
            if (diagonal < 0)
                return;
            first *= scale * tokenDecay(row, block * kBlock + column);
            second *= scale * tokenDecay(row, block * kBlock + column + 1);
            if (diagonal >= kBlock) {
                storePair(far + row * kScoreStride + column, first, second);
                return;
            }
            near[(diagonal * kBlock + column) * 2] = diagonal >= column + below ? first : 0;
            near[(diagonal * kBlock + column + 1) * 2] = diagonal >= column + 1 + below ? second : 0;
        });
    }

    /// What passes through the chunk, by channel: the state that enters times the gradient of the one that leaves. A few threads
    /// a channel; the decay is left to who adds them up.
    ASSAY_DEVICE void sumLeaving()
    {
        constexpr int kCount = V / Shared::kLeavingParts;
        const int channel = threadIndex() % kChannels, part = threadIndex() / kChannels;
        const int first = channel * kValueStride + part * kCount;
        float sum = 0;
#pragma unroll
        for (int i = 0; i < kCount; i += 8) {
            const Piece state = *reinterpret_cast<const Piece*>(in<Element>(Shared::state) + first + i);
            const Piece grad = *reinterpret_cast<const Piece*>(in<Element>(Shared::stateGrad) + first + i);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const Pair a = unpack<Element>(state.words[j]), b = unpack<Element>(grad.words[j]);
                sum += a.first * b.first + a.second * b.second;
            }
        }
        in<float>(Shared::leaving)[threadIndex()] = sum;
    }

    /// What the gradient of the state that leaves passes to k, before its decay.
    ASSAY_DEVICE void multiplyStateGrad(Results& key)
    {
        const Element* const grad = in<Element>(Shared::stateGrad) + warpChannel() * kValueStride;
        clear(key);
#pragma unroll 4
        for (int step = 0; step < V / 16; ++step) {
            std::uint32_t right[4];
            loadRight<Order::Transposed>(right, grad + step * 16, kValueStride);
            multiplyTiles(key, in<Element>(Shared::writes) + step * 16, right);
        }
    }

    /// What the state that enters passes to q and b k, before its decays.
    ASSAY_DEVICE void multiplyState(Results& query, Results& erase)
    {
        const Element* const state = in<Element>(Shared::state) + warpChannel() * kValueStride;
        clear(query);
        clear(erase);
#pragma unroll 2
        for (int step = 0; step < V / 16; ++step) {
            std::uint32_t right[4];
            loadRight<Order::Transposed>(right, state + step * 16, kValueStride);
            multiplyTiles(query, in<Element>(Shared::outputGrad) + step * 16, right);
            multiplyTiles(erase, in<Element>(Shared::p) + step * 16, right);
        }
    }

    /// @param left  first row, of tokens, at the step's place
    ASSAY_DEVICE void multiplyTiles(Results& results, const Element* left, const std::uint32_t (&right)[4])
    {
#pragma unroll
        for (int tile = 0; tile < kTiles; ++tile) {
            std::uint32_t rows[4];
            loadLeft<Order::Plain>(rows, left + subBlock(tile) * kBlock * kValueStride, kValueStride);
            multiply(results[tile][0], rows, right[0], right[1], Element{});
            multiply(results[tile][1], rows, right[2], right[3], Element{});
        }
    }

    ASSAY_DEVICE void startTokens(Decays& decays)
    {
        copyTokens<kThreads, kChannels>(in<Element>(Shared::q), m_arguments.q, m_place, m_head, firstChannel());
        copyTokens<kThreads, kChannels>(in<Element>(Shared::k), m_arguments.k, m_place, m_head, firstChannel());
        copyInput<kThreads, kChannels>(in<Element>(Shared::b), m_arguments.b, m_place, m_head, firstChannel());
        commitCopies();
        loadDecays(decays, m_arguments.g, m_place, m_head, firstChannel());
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

    ASSAY_DEVICE Quad gammaQuad(int row)
    {
        return loadQuad(in<float>(Shared::gamma) + row * kPairStride + threadIndex() % kQuads * 4);
    }

    /// 2^(a - b), of four channels
    static ASSAY_DEVICE Quad decayBetween(const Quad& a, const Quad& b)
    {
        Quad result;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            result.of[i] = exp2(a.of[i] - b.of[i]);
        return result;
    }
    static ASSAY_DEVICE Quad product(const Quad& a, const Quad& b)
    {
        Quad result;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            result.of[i] = a.of[i] * b.of[i];
        return result;
    }

    /// Tokens as distant pairs take them. A key is decayed up to the first row of each later sub-block, q and b k from the last
    /// row of each earlier one; the rest of a pair's decay is applied to the products. Each exponent is at most 0. A thread takes
    /// four channels of a row of each sub-block.
    ASSAY_DEVICE void stageTokens()
    {
        const int inBlock = threadIndex() / kQuads, column = threadIndex() % kQuads * 4;
        Element* const farKeys = in<Element>(Shared::farKeys) + inBlock * kStride + column;
        Element* const farQueries = in<Element>(Shared::farQueries) + inBlock * kStride + column;
        Element* const farErases = in<Element>(Shared::farErases) + inBlock * kStride + column;
#pragma unroll
        for (int block = 0; block < plan::kSubBlocks; ++block) {
            const int row = block * kBlock + inBlock, from = row * kStride + column;
            const Quad k = loadQuad(in<Element>(Shared::k) + from);
            const Quad erase = product(loadQuad(in<Element>(Shared::b) + from), k);
            if constexpr (G == Gate::Token) {
                storeQuad(in<Element>(Shared::erases) + from, erase);
                continue;
            }
            const Quad gamma = gammaQuad(row);
            if (block + 1 < plan::kSubBlocks) {
                Quad passed = product(k, decayBetween(gammaQuad((block + 1) * kBlock), gamma));
                storeQuad(farKeys + (rowsBefore(block + 1) + block * kBlock) * kStride, passed);
#pragma unroll
                for (int later = block + 2; later < plan::kSubBlocks; ++later) {
                    passed = product(passed, decayBetween(gammaQuad(later * kBlock), gammaQuad((later - 1) * kBlock)));
                    storeQuad(farKeys + (rowsBefore(later) + block * kBlock) * kStride, passed);
                }
            }
            if (block == 0)
                continue;
            const Quad q = loadQuad(in<Element>(Shared::q) + from);
            Quad decay = decayBetween(gamma, gammaQuad(block * kBlock - 1));
#pragma unroll
            for (int earlier = block - 1; earlier >= 0; --earlier) {
                const int to = (rowsBehind(earlier) + (block - earlier - 1) * kBlock) * kStride;
                storeQuad(farQueries + to, product(q, decay));
                storeQuad(farErases + to, product(erase, decay));
                if (earlier > 0)
                    decay = product(decay, decayBetween(gammaQuad((earlier + 1) * kBlock - 1), gammaQuad(earlier * kBlock - 1)));
            }
        }
    }

    /// Keys before sub-block @p block, decayed up to its first row.
    ASSAY_DEVICE const Element* keysBefore(int block)
    {
        return (G == Gate::Token ? in<Element>(Shared::k) : in<Element>(Shared::farKeys) + rowsBefore(block) * kStride)
            + warpChannel();
    }
    /// q behind sub-block @p block, decayed from its last row.
    ASSAY_DEVICE const Element* queriesBehind(int block)
    {
        return (G == Gate::Token ? in<Element>(Shared::q) + (block + 1) * kBlock * kStride
                                 : in<Element>(Shared::farQueries) + rowsBehind(block) * kStride)
            + warpChannel();
    }
    ASSAY_DEVICE const Element* erasesBehind(int block)
    {
        return (G == Gate::Token ? in<Element>(Shared::erases) + (block + 1) * kBlock * kStride
                                 : in<Element>(Shared::farErases) + rowsBehind(block) * kStride)
            + warpChannel();
    }

    /// A thread's elements of a tile, from a row of pairs of its channels.
    template <typename Load> ASSAY_DEVICE void readPairs(Part& part, int row, Load load)
    {
#pragma unroll
        for (int t = 0; t < 2; ++t) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const Pair pair = load(row + half * 8 + accumulatorRow(), warpChannel() + t * 8 + accumulatorColumn());
                part[0][t][half * 2] = pair.first;
                part[0][t][half * 2 + 1] = pair.second;
            }
        }
    }

    ASSAY_DEVICE void readElements(Part& part, plan::Span span, int row)
    {
        readPairs(part, row, [&](int r, int channel) { return loadPair(in<Element>(span) + r * kStride + channel); });
    }

    ASSAY_DEVICE Pair gammaPair(int row, int channel)
    {
        return loadFloats(in<float>(Shared::gamma) + row * kPairStride + channel);
    }

    /// decay := 2^(gamma_row - gamma_from)
    ASSAY_DEVICE void readDecaysSince(Part& decay, int row, int from)
    {
        readPairs(decay, row, [&](int r, int channel) {
            const Pair own = gammaPair(r, channel), since = gammaPair(from, channel);
            return Pair{exp2(own.first - since.first), exp2(own.second - since.second)};
        });
    }
    /// decay := 2^(gamma_to - gamma_row)
    ASSAY_DEVICE void readDecaysUntil(Part& decay, int row, int to)
    {
        readPairs(decay, row, [&](int r, int channel) {
            const Pair own = gammaPair(r, channel), until = gammaPair(to, channel);
            return Pair{exp2(until.first - own.first), exp2(until.second - own.second)};
        });
    }

    /// Sums over the 16 rows of a tile, kept by the lanes whose row is @p keeper.
    static ASSAY_DEVICE void keepRowSums(const Part& terms, int keeper, Part& sums)
    {
#pragma unroll
        for (int t = 0; t < 2; ++t) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                float sum = terms[0][t][i] + terms[0][t][i + 2];
#pragma unroll
                for (int distance = 4; distance < 32; distance *= 2)
                    sum += shuffleXor(sum, distance);
                if (accumulatorRow() == keeper)
                    sums[0][t][i] = sum;
            }
        }
    }

    /// The state's part of a tile with its decays, and what pairs across sub-blocks pass to it. For dg it keeps the sums of what
    /// crosses whole sub-blocks: from the state to the tile's tokens, from them to the state that leaves, and between tokens that
    /// lie two sub-blocks apart or more.
    template <int Tile> ASSAY_DEVICE void addPairs(Results& query, Results& erase, Results& key, Part& sums)
    {
        const int block = subBlock(Tile), row = block * kBlock;
        Part q, k, erases, decay, terms;
        readElements(q, Shared::q, row);
        readElements(k, Shared::k, row);
        readElements(erases, Shared::b, row);
        forEach([&](int t, int i) { erases[0][t][i] *= k[0][t][i]; });

        readPairs(decay, row, [&](int r, int channel) {
            const Pair own = gammaPair(r, channel);
            return Pair{exp2(own.first), exp2(own.second)};
        });
        forEach([&](int t, int i) {
            query[Tile][t][i] *= decay[0][t][i] * m_arguments.scale;
            erase[Tile][t][i] *= -decay[0][t][i];
            terms[0][t][i] = q[0][t][i] * query[Tile][t][i] + erases[0][t][i] * erase[Tile][t][i];
        });
        keepRowSums(terms, Tile, sums);
        readDecaysUntil(decay, row, plan::kChunk - 1);
        forEach([&](int t, int i) {
            key[Tile][t][i] *= decay[0][t][i];
            terms[0][t][i] = k[0][t][i] * key[Tile][t][i];
        });
        keepRowSums(terms, 2 + Tile, sums);

        if constexpr (G == Gate::Channels)
            readDecaysSince(decay, row, row);
        const Element* const keys = keysBefore(block);
#pragma unroll 1
        for (int earlier = 0; earlier < block; ++earlier) {
            Part toQuery, toErase;
            clear(toQuery);
            clear(toErase);
            const int grads = row * kScoreStride + earlier * kBlock;
            std::uint32_t right[4], left[4];
            loadRight<Order::Plain>(right, keys + earlier * kBlock * kStride, kStride);
            loadLeft<Order::Plain>(left, in<Element>(Shared::queryGrad) + grads, kScoreStride);
            multiplyPart(toQuery, left, right);
            loadLeft<Order::Plain>(left, in<Element>(Shared::eraseGrad) + grads, kScoreStride);
            multiplyPart(toErase, left, right);
            forEach([&](int t, int i) {
                const float between = G == Gate::Channels ? decay[0][t][i] : 1;
                const float passedToQuery = toQuery[0][t][i] * between, passedToErase = toErase[0][t][i] * between;
                query[Tile][t][i] += passedToQuery;
                erase[Tile][t][i] += passedToErase;
                terms[0][t][i] = q[0][t][i] * passedToQuery + erases[0][t][i] * passedToErase;
            });
            if (earlier + 1 < block)
                keepRowSums(terms, 4 + earlier, sums); // one tile of a warp has such pairs
        }

        Part toKey;
        clear(toKey);
        const Element *const queries = queriesBehind(block), *const erasesLater = erasesBehind(block);
#pragma unroll 1
        for (int later = block + 1; later < plan::kSubBlocks; ++later) {
            const int grads = later * kBlock * kScoreStride + row, from = (later - block - 1) * kBlock * kStride;
            std::uint32_t right[4], left[4];
            loadRight<Order::Plain>(right, queries + from, kStride);
            loadLeft<Order::Transposed>(left, in<Element>(Shared::queryGrad) + grads, kScoreStride);
            multiplyPart(toKey, left, right);
            loadRight<Order::Plain>(right, erasesLater + from, kStride);
            loadLeft<Order::Transposed>(left, in<Element>(Shared::eraseGrad) + grads, kScoreStride);
            multiplyPart(toKey, left, right);
        }
        if constexpr (G == Gate::Channels)
            readDecaysUntil(decay, row, row + kBlock - 1);
        forEach([&](int t, int i) { key[Tile][t][i] += G == Gate::Channels ? toKey[0][t][i] * decay[0][t][i] : toKey[0][t][i]; });
    }

    static ASSAY_DEVICE void multiplyPart(Part& results, const std::uint32_t (&left)[4], const std::uint32_t (&right)[4])
    {
        multiply(results[0][0], left, right[0], right[1], Element{});
        multiply(results[0][1], left, right[2], right[3], Element{});
    }

    /// use(tile of 8 channels, element), for a thread's own.
    template <typename Use> static ASSAY_DEVICE void forEach(Use use)
    {
#pragma unroll
        for (int t = 0; t < 2; ++t) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
                use(t, i);
        }
    }

    /// Results to where the threads of a channel find them.
    ASSAY_DEVICE void shareResults(Results& query, Results& erase, Results& key, const Part& sums)
    {
#pragma unroll
        for (int tile = 0; tile < kTiles; ++tile) {
            shareTile(query[tile], in<float>(Shared::query), subBlock(tile));
            shareTile(erase[tile], in<float>(Shared::erase), subBlock(tile));
            shareTile(key[tile], in<float>(Shared::key), subBlock(tile));
        }
        const int kept = accumulatorRow();
        const bool isOuter = subBlock(0) == 0;
        int sum = -1;
        if (kept < 4)
            sum = (kept < 2 ? enteringSum(0) : leavingSum(0)) + subBlock(kept % 2);
        else if (kept == 4)
            sum = isOuter ? crossingSum(3, 0) : crossingSum(2, 0);
        else if (kept == 5 && isOuter)
            sum = crossingSum(3, 1);
        if (sum < 0)
            return;
        float* const to = in<float>(Shared::sums) + sum * kChannels + warpChannel() + accumulatorColumn();
#pragma unroll
        for (int t = 0; t < 2; ++t)
            storeFloats(to + t * 8, {sums[0][t][0], sums[0][t][1]});
    }

    ASSAY_DEVICE void shareTile(const float (&results)[2][4], float* to, int block)
    {
#pragma unroll
        for (int t = 0; t < 2; ++t) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = block * kBlock + half * 8 + accumulatorRow();
                storeFloats(to + row * kPairStride + warpChannel() + t * 8 + accumulatorColumn(),
                            {results[t][half * 2], results[t][half * 2 + 1]});
            }
        }
    }

    ASSAY_DEVICE void writeGrads()
    {
        writeRows(in<Element>(Shared::q), static_cast<Element*>(m_arguments.dq));
        writeRows(in<Element>(Shared::k), static_cast<Element*>(m_arguments.dk));
        writeRows(in<Element>(Shared::b), static_cast<Element*>(m_arguments.db));
        constexpr int kRows = kThreads / kQuads;
        const int first = threadIndex() / kQuads, column = threadIndex() % kQuads * 4;
        const float* const from = in<float>(Shared::query) + first * kPairStride + column;
        float* to = m_arguments.dg + outputRow(first) * K + firstChannel() + column;
#pragma unroll
        for (int row = 0; row < plan::kChunk; row += kRows) {
            if (first + row < m_place.rows)
                *reinterpret_cast<Quad*>(to) = loadQuad(from + row * kPairStride);
            to += kRows * m_arguments.sizes.heads * K;
        }
    }

    ASSAY_DEVICE void writeRows(const Element* tile, Element* to)
    {
        constexpr int kPieces = kChannels / 8, kRows = kThreads / kPieces;
        const int first = threadIndex() / kPieces, column = threadIndex() % kPieces * 8;
        tile += first * kStride + column;
        to += outputRow(first) * K + firstChannel() + column;
#pragma unroll
        for (int row = 0; row < plan::kChunk; row += kRows) {
            if (first + row < m_place.rows)
                *reinterpret_cast<Piece*>(to) = *reinterpret_cast<const Piece*>(tile + row * kStride);
            to += kRows * m_arguments.sizes.heads * K;
        }
    }

    const Arguments& m_arguments;
    int m_slot, m_head, m_part, m_warp;
    ChunkPlace m_place;
    char* m_shared;
};

} // namespace assay::gdn::cuda

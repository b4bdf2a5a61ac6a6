// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/steps.h"
#include "kernels/gdn/cuda/tile_io.h"

/// The end of the gradients of a chunk: what pairs of one sub-block pass, pair by pair, and dg. A thread takes one key channel of
/// a sub-block.
///
/// dg_t is the sum over everything that decays by e^{g_t}: what tokens before t pass to t and those behind it. Every pair and
/// state is added where it crosses t, so that nothing cancels and a token with nothing before it gets nothing. What crosses whole
/// sub-blocks comes as sums of a sub-block.
namespace assay::gdn::cuda {

/// Where sums of a sub-block's terms lie: what the state passes to its tokens,
constexpr ASSAY_DEVICE int enteringSum(int block)
{
    return block;
}
/// what they pass to the state that leaves,
constexpr ASSAY_DEVICE int leavingSum(int block)
{
    return plan::kSubBlocks + block;
}
/// and what the tokens of @p earlier pass to those of @p later, at least two sub-blocks behind it.
constexpr ASSAY_DEVICE int crossingSum(int later, int earlier)
{
    return 2 * plan::kSubBlocks + (later == 2 ? 0 : 1 + earlier);
}

template <typename Element, int V, Gate G> class ChannelGradients {
    using Shared = plan::GradientShared<V>;
    static constexpr int kChannels = plan::kChannelTile;
    static constexpr int kBlock = plan::kSubBlock;
    static constexpr int kStride = plan::elementStride(kChannels);
    static constexpr int kPairStride = plan::pairStride(kChannels);
    static_assert(plan::kGradientThreads == plan::kSubBlocks * kChannels);

public:
    ASSAY_DEVICE explicit ChannelGradients(char* shared)
        : m_shared(shared)
        , m_channel(threadIndex() % kChannels)
        , m_block(threadIndex() / kChannels)
    {
    }

    /// Reads results and sums, leaves dq, dk, db in the places of q, k, b, and dg in that of what passes to q.
    ASSAY_DEVICE void run()
    {
        Element* const tokens = in<Element>(Shared::q) + m_block * kBlock * kStride + m_channel;
        float* const results = in<float>(Shared::query) + m_block * kBlock * kPairStride + m_channel;
        const float* const gamma = in<float>(Shared::gamma) + m_block * kBlock * kPairStride + m_channel;
        const Grads* const grads = in<Grads>(Shared::nearGrads) + m_block * kBlock * kBlock / 2;
        constexpr int kKeys = offset<Element>(Shared::q, Shared::k), kGates = offset<Element>(Shared::q, Shared::b);
        constexpr int kErase = offset<float>(Shared::query, Shared::erase), kKey = offset<float>(Shared::query, Shared::key);

        float before = crossingAll(); // what crosses a token from before it to the state, and to later sub-blocks
        float keys[kBlock], passed[kBlock], keyGrads[kBlock], crossing[kBlock];
#pragma unroll
        for (int i = 0; i < kBlock; ++i) {
            const float q = toFloat(tokens[i * kStride]), k = toFloat(tokens[i * kStride + kKeys]);
            const float b = toFloat(tokens[i * kStride + kGates]), erase = b * k;
            const float keyGrad = results[i * kPairStride + kKey];
            float queryGrad = results[i * kPairStride], eraseGrad = results[i * kPairStride + kErase];
            crossing[i] = before;
            before += k * keyGrad;
            // What the token receives crosses itself and those before it, down to the one that passes it.
            float received = q * queryGrad + erase * eraseGrad;
            const float decay = G == Gate::Channels && i > 0 ? exp2(gamma[i * kPairStride] - gamma[(i - 1) * kPairStride]) : 1;
#pragma unroll
            for (int j = 0; j < i; ++j) {
                const Grads both = grads[i * (kBlock / 2) + j / 2];
                const float forQuery = both.of[j % 2][0], forErase = both.of[j % 2][1];
                crossing[j] += received;
                if constexpr (G == Gate::Channels)
                    passed[j] *= decay;
                const float key = keys[j] * passed[j], toKey = forQuery * q + forErase * erase;
                queryGrad += forQuery * key;
                eraseGrad += forErase * key;
                keyGrads[j] += toKey * passed[j];
                received += toKey * key;
            }
            crossing[i] += received;
            const float self = grads[i * (kBlock / 2) + i / 2].of[i % 2][0];
            keys[i] = k;
            passed[i] = 1;
            keyGrads[i] = keyGrad + self * q + b * eraseGrad;
            tokens[i * kStride] = rounded(queryGrad + self * k);
            tokens[i * kStride + kGates] = rounded(k * eraseGrad);
        }
#pragma unroll
        for (int i = 0; i < kBlock; ++i) {
            tokens[i * kStride + kKeys] = rounded(keyGrads[i]);
            results[i * kPairStride] = crossing[i];
        }
    }

private:
    /// Of the scores of a token with two neighbours: q's and b k's.
    struct alignas(16) Grads {
        float of[2][2];
    };

    template <typename T> ASSAY_DEVICE T* in(plan::Span span)
    {
        return at<T>(m_shared, span);
    }
    template <typename T> static constexpr int offset(plan::Span from, plan::Span to)
    {
        return (to.first - from.first) / static_cast<int>(sizeof(T));
    }
    static ASSAY_DEVICE Element rounded(float x)
    {
        return Element{static_cast<std::uint16_t>(pack(x, 0, Element{}))};
    }

    /// What crosses every token of the sub-block: from the state, or from earlier sub-blocks, to later ones or the state.
    ASSAY_DEVICE float crossingAll()
    {
        const float* const leaving = in<float>(Shared::leaving) + m_channel;
        float through = 0;
#pragma unroll
        for (int part = 0; part < Shared::kLeavingParts; ++part)
            through += leaving[part * kChannels];
        float sum = exp2(in<float>(Shared::gamma)[(plan::kChunk - 1) * kPairStride + m_channel]) * through;
#pragma unroll
        for (int block = 0; block < plan::kSubBlocks; ++block) {
            if (block > m_block)
                sum += sumAt(enteringSum(block));
            if (block < m_block)
                sum += sumAt(leavingSum(block));
        }
        if (m_block == 1)
            sum += sumAt(crossingSum(2, 0)) + sumAt(crossingSum(3, 0));
        if (m_block == 2)
            sum += sumAt(crossingSum(3, 0)) + sumAt(crossingSum(3, 1));
        return sum;
    }

    ASSAY_DEVICE float sumAt(int sum)
    {
        return in<float>(Shared::sums)[sum * kChannels + m_channel];
    }

    char* m_shared;
    int m_channel, m_block;
};

} // namespace assay::gdn::cuda

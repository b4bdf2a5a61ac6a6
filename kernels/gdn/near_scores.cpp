// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/near_scores.h"

#include "kernels/gdn/lanes.h"
#include "kernels/tensor/clones.h"

#include <algorithm>

namespace assay::gdn {

namespace {

template <typename Real>
[[gnu::always_inline]] inline void scores(const NearTokens<Real>& tokens, Rows<Real> query, Rows<Real> erase, Real* room)
{
    const std::int64_t keys = tokens.keys;
    for (std::int64_t j = 0; j + 1 < tokens.rows; ++j) {
        std::copy_n(tokens.k + j * keys, keys, room); // k_j D_ij
        for (std::int64_t i = j + 1; i < tokens.rows; ++i) {
            lanes::scaleBy(room, tokens.decay + i * keys, keys);
            query.data[i * query.stride + j] = lanes::dot(tokens.q + i * keys, static_cast<const Real*>(room), keys);
            erase.data[i * erase.stride + j] = lanes::dot(tokens.erase + i * keys, static_cast<const Real*>(room), keys);
        }
    }
}

template <typename Real>
[[gnu::always_inline]] inline void rowGrads(const NearTokens<Real>& tokens, Rows<const Real> queryGrad,
                                            Rows<const Real> eraseGrad, Real* dq, Real* dErase, Real* room)
{
    const std::int64_t keys = tokens.keys;
    for (std::int64_t j = 0; j + 1 < tokens.rows; ++j) {
        std::copy_n(tokens.k + j * keys, keys, room);
        for (std::int64_t i = j + 1; i < tokens.rows; ++i) {
            lanes::scaleBy(room, tokens.decay + i * keys, keys);
            lanes::addScaled(dq + i * keys, queryGrad.data[i * queryGrad.stride + j], static_cast<const Real*>(room), keys);
            lanes::addScaled(dErase + i * keys, eraseGrad.data[i * eraseGrad.stride + j], static_cast<const Real*>(room), keys);
        }
    }
}

template <typename Real>
[[gnu::always_inline]] inline void columnGrads(const NearTokens<Real>& tokens, Rows<const Real> queryGrad,
                                               Rows<const Real> eraseGrad, Real* dk, Real* room)
{
    const std::int64_t keys = tokens.keys;
    for (std::int64_t j = 0; j + 1 < tokens.rows; ++j) {
        // The nearest token's decay is common to all, the next one's to all but one, and so on: multiplied in from the far end.
        std::fill_n(room, keys, Real{0});
        for (std::int64_t i = tokens.rows - 1; i > j; --i) {
            lanes::addScaled(room, queryGrad.data[i * queryGrad.stride + j], tokens.q + i * keys, keys);
            lanes::addScaled(room, eraseGrad.data[i * eraseGrad.stride + j], tokens.erase + i * keys, keys);
            lanes::scaleBy(room, tokens.decay + i * keys, keys);
        }
        lanes::addScaled(dk + j * keys, Real{1}, static_cast<const Real*>(room), keys);
    }
}

template <typename Real>
[[gnu::always_inline]] inline void decayGrads(const NearTokens<Real>& tokens, Rows<const Real> queryGrad,
                                              Rows<const Real> eraseGrad, Real* dg, Real* room)
{
    const std::int64_t keys = tokens.keys;
    Real* const running = room + tokens.rows * keys;
    for (std::int64_t j = 0; j + 1 < tokens.rows; ++j) {
        // Row t of room: what tokens from t on pass back, decayed up to just before t.
        std::fill_n(running, keys, Real{0});
        for (std::int64_t i = tokens.rows - 1; i > j; --i) {
            lanes::addScaled(running, queryGrad.data[i * queryGrad.stride + j], tokens.q + i * keys, keys);
            lanes::addScaled(running, eraseGrad.data[i * eraseGrad.stride + j], tokens.erase + i * keys, keys);
            lanes::scaleBy(running, tokens.decay + i * keys, keys);
            std::copy_n(running, keys, room + i * keys);
        }
        std::copy_n(tokens.k + j * keys, keys, running); // k_j decayed up to the token before t
        for (std::int64_t t = j + 1; t < tokens.rows; ++t) {
            lanes::addProduct(dg + t * keys, static_cast<const Real*>(running), static_cast<const Real*>(room + t * keys), keys);
            lanes::scaleBy(running, tokens.decay + t * keys, keys);
        }
    }
}

} // namespace

ASSAY_CLONES void nearScores(const NearTokens<float>& tokens, Rows<float> query, Rows<float> erase, float* room)
{
    scores(tokens, query, erase, room);
}

ASSAY_CLONES void nearScores(const NearTokens<double>& tokens, Rows<double> query, Rows<double> erase, double* room)
{
    scores(tokens, query, erase, room);
}

ASSAY_CLONES void nearRowGrads(const NearTokens<float>& tokens, Rows<const float> queryGrad, Rows<const float> eraseGrad,
                               float* dq, float* dErase, float* room)
{
    rowGrads(tokens, queryGrad, eraseGrad, dq, dErase, room);
}

ASSAY_CLONES void nearRowGrads(const NearTokens<double>& tokens, Rows<const double> queryGrad, Rows<const double> eraseGrad,
                               double* dq, double* dErase, double* room)
{
    rowGrads(tokens, queryGrad, eraseGrad, dq, dErase, room);
}

ASSAY_CLONES void nearColumnGrads(const NearTokens<float>& tokens, Rows<const float> queryGrad, Rows<const float> eraseGrad,
                                  float* dk, float* room)
{
    columnGrads(tokens, queryGrad, eraseGrad, dk, room);
}

ASSAY_CLONES void nearColumnGrads(const NearTokens<double>& tokens, Rows<const double> queryGrad, Rows<const double> eraseGrad,
                                  double* dk, double* room)
{
    columnGrads(tokens, queryGrad, eraseGrad, dk, room);
}

ASSAY_CLONES void nearDecayGrads(const NearTokens<float>& tokens, Rows<const float> queryGrad, Rows<const float> eraseGrad,
                                 float* dg, float* room)
{
    decayGrads(tokens, queryGrad, eraseGrad, dg, room);
}

ASSAY_CLONES void nearDecayGrads(const NearTokens<double>& tokens, Rows<const double> queryGrad, Rows<const double> eraseGrad,
                                 double* dg, double* room)
{
    decayGrads(tokens, queryGrad, eraseGrad, dg, room);
}

} // namespace assay::gdn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/dense.h"

#include <cstdint>

/// Scores of neighbouring tokens, pair by pair. Between tokens j < i lies the decay D_ij = e^{g_{j+1}} ... e^{g_i} of each
/// channel, which is carried along as a product: it never exceeds what the recurrence itself multiplies by, and no exponent is
/// ever split into two that overflow.
namespace assay::gdn {

/// A few consecutive tokens, row-major by key. Only pairs j < i are meant below.
template <typename Real> struct NearTokens {
    std::int64_t rows = 0, keys = 0;
    const Real *q, *k, *erase, *decay;
};

/// query[i][j] = sum of q_i k_j D_ij, erase[i][j] = sum of (b k)_i k_j D_ij.
/// @param room  as long as a row
void nearScores(const NearTokens<float>& tokens, Rows<float> query, Rows<float> erase, float* room);
void nearScores(const NearTokens<double>& tokens, Rows<double> query, Rows<double> erase, double* room);

/// What the scores pass back to q_i and (b k)_i: dq_i += sum over j of queryGrad[i][j] k_j D_ij, and so for erase.
/// @param dq, dErase  row-major by key
void nearRowGrads(const NearTokens<float>& tokens, Rows<const float> queryGrad, Rows<const float> eraseGrad, float* dq,
                  float* dErase, float* room);
void nearRowGrads(const NearTokens<double>& tokens, Rows<const double> queryGrad, Rows<const double> eraseGrad, double* dq,
                  double* dErase, double* room);

/// What the scores pass back to k_j: dk_j += sum over i of (queryGrad[i][j] q_i + eraseGrad[i][j] (b k)_i) D_ij.
void nearColumnGrads(const NearTokens<float>& tokens, Rows<const float> queryGrad, Rows<const float> eraseGrad, float* dk,
                     float* room);
void nearColumnGrads(const NearTokens<double>& tokens, Rows<const double> queryGrad, Rows<const double> eraseGrad, double* dk,
                     double* room);

/// What they pass back to the decays between them: dg_t += sum over pairs j < t <= i of what i passes to j. Only pairs around t
/// are added up, so that nothing cancels: a token before which nothing was written gets nothing.
/// @param dg    row-major by key
/// @param room  as large as k and one row more
void nearDecayGrads(const NearTokens<float>& tokens, Rows<const float> queryGrad, Rows<const float> eraseGrad, float* dg,
                    float* room);
void nearDecayGrads(const NearTokens<double>& tokens, Rows<const double> queryGrad, Rows<const double> eraseGrad, double* dg,
                    double* room);

} // namespace assay::gdn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace assay::gdn {

/// One token of one head: channels of its inputs. `erase` is b k, `write` is w v, `decay` is e^g.
template <typename Real> struct Token {
    std::int64_t keys = 0, values = 0;
    Real scale = 1;
    const Real *q, *k, *b, *decay, *erase; ///< by key
    const Real *v, *w, *write;             ///< by value
};

/// Gradients of one token's inputs, to be overwritten.
template <typename Real> struct TokenGrad {
    Real *dq, *dk, *db, *dg; ///< by key
    Real *dv, *dw;           ///< by value
};

/// S := S_t from S_{t-1}, in place.
/// @param u  w v - (e^g S)^T (b k), what the token writes
/// @param o  the token's output
void stepForward(const Token<float>& token, float* state, float* u, float* o);
void stepForward(const Token<double>& token, double* state, double* u, double* o);

/// G := dL/dS_{t-1} from dL/dS_t without the token's own output, in place.
/// @param before, after  S_{t-1} and S_t
/// @param u              what stepForward() gave
/// @param du             room for the values' channels
void stepBackward(const Token<float>& token, const float* before, const float* after, const float* u, const float* outputGrad,
                  float* stateGrad, float* du, const TokenGrad<float>& grad);
void stepBackward(const Token<double>& token, const double* before, const double* after, const double* u,
                  const double* outputGrad, double* stateGrad, double* du, const TokenGrad<double>& grad);

} // namespace assay::gdn

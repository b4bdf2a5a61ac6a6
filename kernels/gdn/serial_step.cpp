// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/serial_step.h"

#include "kernels/gdn/lanes.h"
#include "kernels/tensor/clones.h"

#include <algorithm>

namespace assay::gdn {

namespace {

template <typename Real>
[[gnu::always_inline]] inline void forward(const Token<Real>& token, Real* __restrict__ state, Real* __restrict__ u,
                                           Real* __restrict__ o)
{
    const std::int64_t values = token.values;
    std::copy_n(token.write, values, u);
    for (std::int64_t key = 0; key < token.keys; ++key) {
        Real* const row = state + key * values;
        const Real decay = token.decay[key], erase = token.erase[key];
        for (std::int64_t i = 0; i < values; ++i) {
            row[i] *= decay;
            u[i] -= erase * row[i];
        }
    }
    std::fill_n(o, values, Real{0});
    for (std::int64_t key = 0; key < token.keys; ++key) {
        Real* const row = state + key * values;
        const Real k = token.k[key], q = token.q[key];
        for (std::int64_t i = 0; i < values; ++i) {
            row[i] += k * u[i];
            o[i] += q * row[i];
        }
    }
    for (std::int64_t i = 0; i < values; ++i)
        o[i] *= token.scale;
}

/// The row of G and of the gradients that belong to one key, once du is known.
template <typename Real>
[[gnu::always_inline]] inline void backwardRow(const Token<Real>& token, std::int64_t key, const Real* __restrict__ before,
                                               const Real* __restrict__ u, const Real* __restrict__ du, Real* __restrict__ row,
                                               const TokenGrad<Real>& grad)
{
    const std::int64_t values = token.values;
    const Real decay = token.decay[key], erase = token.erase[key];
    // P = e^g S_{t-1}, dP = G - (b k) du^T
    const Real eraseGrad = -decay * lanes::dot(before, du, values);
    grad.dk[key] = lanes::dot(row, u, values) + token.b[key] * eraseGrad;
    grad.db[key] = token.k[key] * eraseGrad;
    lanes::addScaled(row, -erase, du, values);
    grad.dg[key] = decay * lanes::dot(row, before, values);
    for (std::int64_t i = 0; i < values; ++i)
        row[i] *= decay;
}

template <typename Real>
[[gnu::always_inline]] inline void backward(const Token<Real>& token, const Real* before, const Real* after, const Real* u,
                                            const Real* outputGrad, Real* __restrict__ stateGrad, Real* __restrict__ du,
                                            const TokenGrad<Real>& grad)
{
    const std::int64_t values = token.values;
    std::fill_n(du, values, Real{0});
    for (std::int64_t key = 0; key < token.keys; ++key) {
        Real* const row = stateGrad + key * values;
        lanes::addScaled(row, token.scale * token.q[key], outputGrad, values);
        grad.dq[key] = token.scale * lanes::dot(after + key * values, outputGrad, values);
        lanes::addScaled(du, token.k[key], static_cast<const Real*>(row), values);
    }
    for (std::int64_t key = 0; key < token.keys; ++key)
        backwardRow(token, key, before + key * values, u, du, stateGrad + key * values, grad);
    lanes::product(grad.dv, token.w, du, values);
    lanes::product(grad.dw, token.v, du, values);
}

} // namespace

ASSAY_CLONES void stepForward(const Token<float>& token, float* state, float* u, float* o)
{
    forward(token, state, u, o);
}

ASSAY_CLONES void stepForward(const Token<double>& token, double* state, double* u, double* o)
{
    forward(token, state, u, o);
}

ASSAY_CLONES void stepBackward(const Token<float>& token, const float* before, const float* after, const float* u,
                               const float* outputGrad, float* stateGrad, float* du, const TokenGrad<float>& grad)
{
    backward(token, before, after, u, outputGrad, stateGrad, du, grad);
}

ASSAY_CLONES void stepBackward(const Token<double>& token, const double* before, const double* after, const double* u,
                               const double* outputGrad, double* stateGrad, double* du, const TokenGrad<double>& grad)
{
    backward(token, before, after, u, outputGrad, stateGrad, du, grad);
}

} // namespace assay::gdn

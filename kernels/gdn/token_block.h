// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/head.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace assay::gdn {

/// Consecutive tokens of one head, row-major, with the products of gates that every form needs.
template <typename Real> struct TokenBlock {
    std::int64_t rows = 0;
    std::vector<Real> q, k, b, decay, erase; ///< by key: decay is e^g, erase is b k
    std::vector<Real> v, w, write;           ///< by value: write is w v
    std::vector<Real> outputGrad;            ///< by value; not touched by load()

    TokenBlock(std::int64_t mostRows, std::int64_t keys, std::int64_t values)
    {
        for (std::vector<Real>* keyed : {&q, &k, &b, &decay, &erase})
            keyed->resize(static_cast<std::size_t>(mostRows * keys));
        for (std::vector<Real>* valued : {&v, &w, &write, &outputGrad})
            valued->resize(static_cast<std::size_t>(mostRows * values));
    }

    /// Tokens @p first to @p first + @p count - 1.
    void load(const HeadInputs& inputs, std::int64_t first, std::int64_t count)
    {
        rows = count;
        inputs.q.read(first, count, q.data());
        inputs.k.read(first, count, k.data());
        inputs.v.read(first, count, v.data());
        inputs.b.read(first, count, b.data());
        inputs.w.read(first, count, w.data());
        inputs.g.read(first, count, decay.data());
        for (std::int64_t i = 0; i < count * inputs.keys; ++i) {
            decay[i] = std::exp(decay[i]);
            erase[i] = b[i] * k[i];
        }
        for (std::int64_t i = 0; i < count * inputs.values; ++i)
            write[i] = w[i] * v[i];
    }

    void loadOutputGrad(const HeadInputs& inputs, std::int64_t first) { inputs.outputGrad.read(first, rows, outputGrad.data()); }
};

/// A state of one head: what @p matrix holds, or zeros where it is absent.
template <typename Real> void loadState(const HeadInputs& inputs, const InputMatrix& matrix, std::vector<Real>& state)
{
    state.assign(static_cast<std::size_t>(inputs.keys * inputs.values), Real{0});
    if (matrix.data != nullptr)
        matrix.read(0, inputs.keys, state.data());
}

} // namespace assay::gdn

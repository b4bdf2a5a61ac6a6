// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/problem.h"

#include <cstdint>
#include <span>

/// One head of one sequence: what is computed without a look at any other.
namespace assay::gdn {

/// A matrix inside a tensor: the tokens of a head by its channels, or a state's keys by its values.
struct InputMatrix {
    const std::byte* data = nullptr;
    tensor::DType dtype = tensor::DType::Float64;
    std::int64_t rowStride = 0;    ///< elements
    std::int64_t columnStride = 0; ///< elements
    std::int64_t columns = 0;

    /// Rows @p first to @p first + @p rows - 1, row-major into @p out, each element rounded once.
    template <typename Real> void read(std::int64_t first, std::int64_t rows, Real* out) const;
};

template <typename Real> struct OutputMatrix {
    Real* data = nullptr;
    std::int64_t rowStride = 0;
    std::int64_t columns = 0;

    /// Row-major @p values into the rows from @p first on.
    void write(std::int64_t first, std::int64_t rows, const Real* values) const;
};

/// The inputs of one head in one sequence; row 0 is the sequence's first token.
struct HeadInputs {
    double scale = 1;
    std::int64_t tokens = 0, keys = 0, values = 0;
    InputMatrix q, k, v, b, w, g, outputGrad, initialState, finalGrad; ///< without data where absent
};

template <typename Real> struct HeadForward {
    OutputMatrix<Real> o, finalState;
};

template <typename Real> struct HeadBackward {
    OutputMatrix<Real> dq, dk, dv, db, dw, dg, initialStateGrad;
};

/// Row-major results of the type Real, and the places of one head in them.
template <typename Real> class ForwardWriter {
public:
    explicit ForwardWriter(const Problem& problem);
    HeadForward<Real> head(const Sequence& sequence, std::int64_t number, std::int64_t head);
    ForwardResult take() { return std::move(m_result); }

private:
    Shape m_shape;
    ForwardResult m_result;
};

template <typename Real> class BackwardWriter {
public:
    explicit BackwardWriter(const Problem& problem);
    HeadBackward<Real> head(const Sequence& sequence, std::int64_t number, std::int64_t head);
    BackwardResult take() { return std::move(m_result); }

private:
    Shape m_shape;
    BackwardResult m_result;
};

/// Head @p head of sequence @p number.
HeadInputs headOf(const Problem& problem, const Sequence& sequence, std::int64_t number, std::int64_t head);

} // namespace assay::gdn

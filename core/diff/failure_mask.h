// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/metric.h"
#include "kernels/tensor/tensor_view.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay::diff {

/// Which elements are marked.
struct FailureRule {
    enum class Kind {
        Different,     ///< another value or another class; all NaN are equal, -0 equals +0
        OutOfBound,    ///< finite pairs beyond the bound, and other classes
        ClassMismatch, ///< another class among {finite, NaN, +Inf, -Inf}
        ErrorAbove,    ///< finite pairs whose absolute error exceeds `bound.absolute`
    };
    Kind kind = Kind::Different;
    Bound bound;
};

/// One bit per element of a tensor, every run along the last axis beginning a new word.
class FailureMask {
public:
    explicit FailureMask(std::vector<std::int64_t> shape);

    const std::vector<std::int64_t>& shape() const { return m_shape; }
    std::int64_t rows() const { return m_rows; }         ///< runs along the last axis
    std::int64_t rowLength() const { return m_length; }  ///< elements of a run
    std::int64_t rowWords() const { return m_rowWords; } ///< words of a run; bits behind its end are 0
    std::span<std::uint64_t> row(std::int64_t row);
    std::span<const std::uint64_t> row(std::int64_t row) const;

    void set(std::int64_t row, std::int64_t column);
    std::int64_t countMarked() const;

    /// Bytes that a mask of this shape takes.
    static std::int64_t bytesFor(const std::vector<std::int64_t>& shape);

private:
    std::vector<std::int64_t> m_shape;
    std::int64_t m_rows = 1;
    std::int64_t m_length = 1;
    std::int64_t m_rowWords = 1;
    std::vector<std::uint64_t> m_words;
};

/// Marks the elements of two tensors of one shape that @p rule names.
/// @param threads  0: as many as the machine has cores
FailureMask markFailures(const tensor::TensorView& reference, const tensor::TensorView& candidate, const FailureRule& rule,
                         int threads = 0);

} // namespace assay::diff

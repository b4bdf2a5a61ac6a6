// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/dense.h"
#include "kernels/gdn/rounding.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace assay::gdn {

/// A row-major matrix without gaps, and how it enters a product.
template <typename Real> struct Operand {
    const Real* data = nullptr;
    std::int64_t rows = 0, columns = 0;
    bool isTransposed = false;

    std::int64_t outerRows() const { return isTransposed ? columns : rows; }
    std::int64_t outerColumns() const { return isTransposed ? rows : columns; }
};

/// The matrix as it lies, and its transpose.
template <typename Real> Operand<Real> plain(const Real* data, std::int64_t rows, std::int64_t columns)
{
    return {data, rows, columns, false};
}
template <typename Real> Operand<Real> transposed(const Real* data, std::int64_t rows, std::int64_t columns)
{
    return {data, rows, columns, true};
}

/// Products whose factors are rounded first where that is asked for; sums are kept in Real.
template <typename Real> class MatrixProduct {
public:
    explicit MatrixProduct(Operands operands)
        : m_operands(std::is_same_v<Real, float> ? operands : Operands::Exact)
    {
    }

    bool roundsOperands() const { return m_operands != Operands::Exact; }

    /// out += sign left right, @p out without gaps.
    void add(const Operand<Real>& left, const Operand<Real>& right, Real* out, Real sign = 1)
    {
        const std::int64_t columns = right.outerColumns();
        const Real* const a = rounded(left, m_left);
        const Real* b = rounded(right, m_right);
        if (right.isTransposed) {
            m_transposed.resize(static_cast<std::size_t>(right.rows * right.columns));
            transpose<Real>(right.rows, right.columns, {b, right.columns}, {m_transposed.data(), right.rows});
            b = m_transposed.data();
        }
        const LeftFactor<Real> factor
            = left.isTransposed ? LeftFactor<Real>{a, 1, left.columns} : LeftFactor<Real>{a, left.columns, 1};
        addProduct({left.outerRows(), columns, left.outerColumns()}, factor, Rows<const Real>{b, columns},
                   Rows<Real>{out, columns}, sign);
    }

    /// out := lower x, or lower^T x, for a @p rows x @p rows matrix of which only the lower triangle counts: nothing is
    /// multiplied by the zeros above it, which would carry a NaN of one token to tokens that it does not reach.
    void setLower(const Real* lower, std::int64_t rows, bool isTransposed, const Operand<Real>& x, Real* out)
    {
        const std::int64_t columns = x.columns;
        const Real* const a = rounded(plain(lower, rows, rows), m_left);
        const Real* const b = rounded(x, m_right);
        std::fill_n(out, rows * columns, Real{0});
        const auto add = [&](std::int64_t first, std::int64_t count, std::int64_t from, std::int64_t to) {
            const LeftFactor<Real> factor = isTransposed ? LeftFactor<Real>{a + from * rows + first, 1, rows}
                                                         : LeftFactor<Real>{a + first * rows + from, rows, 1};
            addProduct({count, columns, to - from}, factor, Rows<const Real>{b + from * columns, columns},
                       Rows<Real>{out + first * columns, columns});
        };
        constexpr std::int64_t kBlock = 16;
        for (std::int64_t first = 0; first < rows; first += kBlock) {
            const std::int64_t end = std::min(first + kBlock, rows);
            isTransposed ? add(first, end - first, end, rows) : add(first, end - first, 0, first);
            for (std::int64_t row = first; row < end; ++row)
                isTransposed ? add(row, 1, row, end) : add(row, 1, first, row + 1);
        }
    }

    /// out := left right.
    void set(const Operand<Real>& left, const Operand<Real>& right, Real* out)
    {
        std::fill_n(out, left.outerRows() * right.outerColumns(), Real{0});
        add(left, right, out);
    }

private:
    const Real* rounded(const Operand<Real>& operand, std::vector<Real>& room) const
    {
        if constexpr (std::is_same_v<Real, float>) {
            if (roundsOperands()) {
                const std::int64_t count = operand.rows * operand.columns;
                room.resize(std::max(room.size(), static_cast<std::size_t>(count)));
                roundOperands(m_operands, operand.data, count, room.data());
                return room.data();
            }
        }
        return operand.data;
    }

    Operands m_operands;
    std::vector<Real> m_left, m_right, m_transposed;
};

} // namespace assay::gdn

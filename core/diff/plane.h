// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor_view.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::diff {

/// How an N-dimensional tensor is laid out as rows and columns.
struct Arrangement {
    std::vector<int> rowAxes;     ///< run together, the last one fastest; empty: one row
    int columnAxis = -1;          ///< -1: one column (a scalar)
    std::vector<std::int64_t> at; ///< index along every axis; only those of the other axes count
    std::int64_t foldWidth = 0;   ///< more than 0: the column axis, then the only one, is broken into rows of this many elements

    bool operator==(const Arrangement&) const = default;

    /// The last two axes, the others at 0; one axis is folded where it is longer than kLongestLine.
    static Arrangement usual(const std::vector<std::int64_t>& shape);
    /// Every axis but the last as rows: the whole tensor in one picture.
    static Arrangement flattened(const std::vector<std::int64_t>& shape);

    static constexpr std::int64_t kLongestLine = 4096;
};

/// Where an element lies in a plane.
struct Cell {
    std::int64_t row = 0;
    std::int64_t column = 0;
    bool operator==(const Cell&) const = default;
};

/// A tensor seen through an arrangement. The tensor's bytes must outlive the plane.
class Plane {
public:
    Plane(tensor::TensorView view, Arrangement arrangement);

    std::int64_t rows() const { return m_rows; }
    std::int64_t columns() const { return m_columns; }
    /// Fewer in the last row of a folded axis.
    std::int64_t columnsIn(std::int64_t row) const;
    const Arrangement& arrangement() const { return m_arrangement; }
    const tensor::TensorView& view() const { return m_view; }

    /// @p count elements of a row from column @p first on, in the tensor's dtype: a pointer into the tensor where they lie side
    /// by side, else copied to @p buffer.
    const std::byte* read(std::int64_t row, std::int64_t first, std::int64_t count, std::vector<std::byte>& buffer) const;

    /// The elements of a row lie side by side.
    bool hasPlainRows() const { return m_columnStride == 1; }
    const std::byte* address(std::int64_t row, std::int64_t column) const;

    /// Index in the tensor of what lies there.
    std::vector<std::int64_t> index(const Cell& cell) const;
    /// Where the element @p index lies; nothing where it lies in another slice.
    std::optional<Cell> find(const std::vector<std::int64_t>& index) const;

private:
    std::int64_t offset(std::int64_t row) const;

    tensor::TensorView m_view;
    Arrangement m_arrangement;
    std::int64_t m_rows = 1;
    std::int64_t m_columns = 1;
    std::int64_t m_columnStride = 0;
    std::int64_t m_base = 0; ///< offset of the slice, elements
};

} // namespace assay::diff

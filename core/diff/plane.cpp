// SPDX-License-Identifier: Apache-2.0
#include "core/diff/plane.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace assay::diff {

Arrangement Arrangement::usual(const std::vector<std::int64_t>& shape)
{
    Arrangement usual;
    usual.at.assign(shape.size(), 0);
    usual.columnAxis = static_cast<int>(shape.size()) - 1;
    if (shape.size() >= 2)
        usual.rowAxes = {usual.columnAxis - 1};
    else if (shape.size() == 1 && shape[0] > kLongestLine)
        // A power of two near the square root: what repeats in a kernel's tiles stays in line.
        usual.foldWidth = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(shape[0])) / 2);
    return usual;
}

Arrangement Arrangement::flattened(const std::vector<std::int64_t>& shape)
{
    Arrangement whole = usual(shape);
    whole.rowAxes.clear();
    for (int axis = 0; axis < whole.columnAxis; ++axis)
        whole.rowAxes.push_back(axis);
    return whole;
}

Plane::Plane(tensor::TensorView view, Arrangement arrangement)
    : m_view(std::move(view))
    , m_arrangement(std::move(arrangement))
{
    const auto isShown = [&](int axis) {
        return axis == m_arrangement.columnAxis || std::ranges::find(m_arrangement.rowAxes, axis) != m_arrangement.rowAxes.end();
    };
    for (std::size_t axis = 0; axis < m_view.shape.size(); ++axis) {
        if (!isShown(static_cast<int>(axis)))
            m_base += m_arrangement.at[axis] * m_view.strides[axis];
    }
    for (const int axis : m_arrangement.rowAxes)
        m_rows *= m_view.shape[static_cast<std::size_t>(axis)];
    if (m_arrangement.columnAxis >= 0) {
        m_columns = m_view.shape[static_cast<std::size_t>(m_arrangement.columnAxis)];
        m_columnStride = m_view.strides[static_cast<std::size_t>(m_arrangement.columnAxis)];
    }
    if (m_arrangement.foldWidth > 0) {
        m_rows = (m_columns + m_arrangement.foldWidth - 1) / m_arrangement.foldWidth;
        m_columns = std::min(m_columns, m_arrangement.foldWidth);
    }
}

std::int64_t Plane::columnsIn(std::int64_t row) const
{
    if (m_arrangement.foldWidth == 0)
        return m_columns;
    return std::min(m_columns, m_view.shape[0] - row * m_arrangement.foldWidth);
}

std::int64_t Plane::offset(std::int64_t row) const
{
    if (m_arrangement.foldWidth > 0)
        return m_base + row * m_arrangement.foldWidth * m_columnStride;
    std::int64_t offset = m_base;
    for (auto axis = m_arrangement.rowAxes.rbegin(); axis != m_arrangement.rowAxes.rend(); ++axis) {
        const auto at = static_cast<std::size_t>(*axis);
        offset += row % m_view.shape[at] * m_view.strides[at];
        row /= m_view.shape[at];
    }
    return offset;
}

const std::byte* Plane::address(std::int64_t row, std::int64_t column) const
{
    return m_view.data + (offset(row) + column * m_columnStride) * tensor::sizeOf(m_view.dtype);
}

const std::byte* Plane::read(std::int64_t row, std::int64_t first, std::int64_t count, std::vector<std::byte>& buffer) const
{
    const std::int64_t bytes = tensor::sizeOf(m_view.dtype);
    const std::byte* begin = address(row, first);
    if (m_columnStride == 1 || count <= 1)
        return begin;
    buffer.resize(static_cast<std::size_t>(count * bytes));
    for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(buffer.data() + i * bytes, begin + i * m_columnStride * bytes, static_cast<std::size_t>(bytes));
    return buffer.data();
}

std::vector<std::int64_t> Plane::index(const Cell& cell) const
{
    std::vector<std::int64_t> index = m_arrangement.at;
    if (m_arrangement.foldWidth > 0) {
        index[0] = cell.row * m_arrangement.foldWidth + cell.column;
        return index;
    }
    std::int64_t row = cell.row;
    for (auto axis = m_arrangement.rowAxes.rbegin(); axis != m_arrangement.rowAxes.rend(); ++axis) {
        const auto at = static_cast<std::size_t>(*axis);
        index[at] = row % m_view.shape[at];
        row /= m_view.shape[at];
    }
    if (m_arrangement.columnAxis >= 0)
        index[static_cast<std::size_t>(m_arrangement.columnAxis)] = cell.column;
    return index;
}

std::optional<Cell> Plane::find(const std::vector<std::int64_t>& index) const
{
    if (m_arrangement.foldWidth > 0)
        return Cell{index[0] / m_arrangement.foldWidth, index[0] % m_arrangement.foldWidth};
    Cell cell;
    for (const int axis : m_arrangement.rowAxes) {
        const auto at = static_cast<std::size_t>(axis);
        cell.row = cell.row * m_view.shape[at] + index[at];
    }
    if (m_arrangement.columnAxis >= 0)
        cell.column = index[static_cast<std::size_t>(m_arrangement.columnAxis)];
    return this->index(cell) == index ? std::optional(cell) : std::nullopt;
}

} // namespace assay::diff

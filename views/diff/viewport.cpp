// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/viewport.h"

#include <algorithm>
#include <cmath>

namespace assay::views {

namespace {
constexpr double kLargestScale = 96;  // px an element: its value can be written into it
constexpr double kLargestFitted = 32; // px an element: a small tensor need not fill a screen
constexpr double kTellable = 8;       // px an element: what is jumped to can be seen
constexpr double kNarrowest = 16;     // px: a thin tensor is shown in part rather than as a hair
} // namespace

Viewport::Viewport(QObject* parent)
    : QObject(parent)
{
}

void Viewport::setPlane(std::int64_t rows, std::int64_t columns)
{
    m_rows = rows;
    m_columns = columns;
    m_picked.reset();
    fit();
    Q_EMIT pickChanged();
}

void Viewport::setPaneSize(QSizeF size)
{
    size = size.expandedTo({1, 1});
    if (size == m_paneSize)
        return;
    m_paneSize = size;
    if (m_isFitted)
        fit();
    else
        keepInside();
    Q_EMIT changed();
}

double Viewport::fittingScale() const
{
    if (m_rows == 0 || m_columns == 0)
        return 1;
    const double whole
        = std::min(m_paneSize.width() / static_cast<double>(m_columns), m_paneSize.height() / static_cast<double>(m_rows));
    const double thin = kNarrowest / static_cast<double>(std::min(m_rows, m_columns));
    return std::min(std::max(whole, std::min(thin, 1.0)), kLargestFitted);
}

void Viewport::fit()
{
    m_scale = fittingScale();
    m_origin = {};
    m_isFitted = true;
    keepInside();
    Q_EMIT changed();
}

QRectF Viewport::toPane(const diff::ElementRect& rect) const
{
    return {(static_cast<double>(rect.column) - m_origin.x()) * m_scale, (static_cast<double>(rect.row) - m_origin.y()) * m_scale,
            static_cast<double>(rect.columns) * m_scale, static_cast<double>(rect.rows) * m_scale};
}

QPointF Viewport::elementAt(QPointF position) const
{
    return m_origin + position / m_scale;
}

std::optional<diff::Cell> Viewport::cellAt(QPointF position) const
{
    const QPointF at = elementAt(position);
    const diff::Cell cell{static_cast<std::int64_t>(std::floor(at.y())), static_cast<std::int64_t>(std::floor(at.x()))};
    if (cell.row < 0 || cell.column < 0 || cell.row >= m_rows || cell.column >= m_columns)
        return std::nullopt;
    return cell;
}

diff::ElementRect Viewport::visible(double margin) const
{
    const QPointF extent(m_paneSize.width() / m_scale, m_paneSize.height() / m_scale);
    const auto clampedTo
        = [](double value, std::int64_t limit) { return std::clamp<std::int64_t>(static_cast<std::int64_t>(value), 0, limit); };
    diff::ElementRect rect;
    rect.row = clampedTo(std::floor(m_origin.y() - margin * extent.y()), m_rows);
    rect.column = clampedTo(std::floor(m_origin.x() - margin * extent.x()), m_columns);
    rect.rows = clampedTo(std::ceil(m_origin.y() + (1 + margin) * extent.y()), m_rows) - rect.row;
    rect.columns = clampedTo(std::ceil(m_origin.x() + (1 + margin) * extent.x()), m_columns) - rect.column;
    return rect;
}

void Viewport::zoom(double factor, QPointF around)
{
    const QPointF fixed = elementAt(around);
    const double smallest = std::min(fittingScale(), 1.0);
    m_scale = std::clamp(m_scale * factor, smallest, kLargestScale);
    m_isFitted = m_scale <= smallest;
    m_origin = fixed - around / m_scale;
    keepInside();
    Q_EMIT changed();
}

void Viewport::pan(QPointF pixels)
{
    m_origin -= pixels / m_scale;
    m_isFitted = false;
    keepInside();
    Q_EMIT changed();
}

void Viewport::center(const diff::Cell& cell)
{
    m_origin = QPointF(static_cast<double>(cell.column) + 0.5, static_cast<double>(cell.row) + 0.5)
        - QPointF(m_paneSize.width(), m_paneSize.height()) / (2 * m_scale);
    m_isFitted = false;
    keepInside();
    Q_EMIT changed();
}

void Viewport::reveal(const diff::Cell& cell)
{
    const QRectF pane(QPointF(), m_paneSize);
    if (m_scale >= kTellable && pane.contains(toPane({cell.row, cell.column, 1, 1})))
        return;
    m_scale = std::max(m_scale, kTellable);
    center(cell);
}

/// A plane that is smaller than the pane stands in its middle; a larger one has no empty strip beside it.
void Viewport::keepInside()
{
    const auto along = [this](double origin, std::int64_t count, double pixels) {
        const double shown = pixels / m_scale;
        const double room = static_cast<double>(count) - shown;
        return room <= 0 ? room / 2 : std::clamp(origin, 0.0, room);
    };
    m_origin = {along(m_origin.x(), m_columns, m_paneSize.width()), along(m_origin.y(), m_rows, m_paneSize.height())};
}

void Viewport::pick(std::optional<diff::Cell> cell)
{
    if (cell && (cell->row < 0 || cell->column < 0 || cell->row >= m_rows || cell->column >= m_columns))
        return;
    m_picked = cell;
    Q_EMIT pickChanged();
}

void Viewport::nudge(std::int64_t rows, std::int64_t columns)
{
    if (m_rows == 0 || m_columns == 0)
        return;
    const diff::Cell from = m_picked.value_or(diff::Cell{});
    const diff::Cell to{std::clamp<std::int64_t>(from.row + rows, 0, m_rows - 1),
                        std::clamp<std::int64_t>(from.column + columns, 0, m_columns - 1)};
    pick(to);
    if (!QRectF(QPointF(), m_paneSize).contains(toPane({to.row, to.column, 1, 1})))
        center(to);
}

} // namespace assay::views

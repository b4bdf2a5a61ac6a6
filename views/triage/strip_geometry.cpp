// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/strip_geometry.h"

#include <algorithm>
#include <cmath>

namespace assay::views {

namespace {

constexpr qreal kMargin = 8;   // left and right of the strip
constexpr qreal kPitch = 18;   // from one cell to the next: a 14 px shape and 4 px of air (the 4 px grid of the window)
constexpr qreal kGroupGap = 8; // between two groups
constexpr qreal kShape = 14;
constexpr int kGroups = 5;

int groupNumber(contract::Gate gate)
{
    int number = 0;
    for (int i = 1; i <= contract::indexOf(gate); ++i) {
        if (contract::group(contract::kAllGates[static_cast<std::size_t>(i)])
            != contract::group(contract::kAllGates[static_cast<std::size_t>(i - 1)]))
            ++number;
    }
    return number;
}

} // namespace

StripGeometry::StripGeometry(const QRectF& area)
    : m_area(area)
{
}

QRectF StripGeometry::column(contract::Gate gate) const
{
    const qreal left = m_area.left() + kMargin + kPitch * contract::indexOf(gate) + kGroupGap * groupNumber(gate);
    return {left, m_area.top(), kPitch, m_area.height()};
}

QRectF StripGeometry::cell(contract::Gate gate) const
{
    const QRectF column = this->column(gate);
    const qreal side = std::min(kShape, m_area.height() - 4);
    // Whole pixels: a shape that starts between two pixels is blurred at scale 1.
    const qreal x = column.left() + std::floor((kPitch - side) / 2);
    const qreal y = column.top() + std::floor((m_area.height() - side) / 2);
    return {x, y, side, side};
}

QRectF StripGeometry::group(contract::Gate anyOfIt) const
{
    QRectF united;
    for (const contract::Gate gate : contract::kAllGates) {
        if (contract::group(gate) == contract::group(anyOfIt))
            united = united.isNull() ? column(gate) : united.united(column(gate));
    }
    return united;
}

std::optional<contract::Gate> StripGeometry::gateAt(const QPointF& point) const
{
    for (const contract::Gate gate : contract::kAllGates) {
        if (column(gate).contains(point))
            return gate;
    }
    return std::nullopt;
}

int StripGeometry::fullWidth()
{
    return static_cast<int>(2 * kMargin + kPitch * contract::kGateCount + kGroupGap * (kGroups - 1));
}

} // namespace assay::views

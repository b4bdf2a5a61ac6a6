// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"

#include <QPointF>
#include <QRectF>

#include <optional>

namespace assay::views {

/// Where the twelve cells of a gate strip stand in a table cell or in the header above it: one layout for both, so they line up.
/// CMP | EXC | ORD | PRC | RES are apart by a gap.
class StripGeometry {
public:
    /// @param area  the table cell or header section, in logical pixels
    explicit StripGeometry(const QRectF& area);

    QRectF cell(contract::Gate gate) const;
    /// From the left edge of the group's first cell to the right edge of its last one, as high as the area.
    QRectF group(contract::Gate anyOfIt) const;
    /// The gate whose column holds @p point, or nothing between and beside them.
    std::optional<contract::Gate> gateAt(const QPointF& point) const;

    /// Width that shows all twelve, with the margins.
    static int fullWidth();

private:
    QRectF column(contract::Gate gate) const;
    QRectF m_area;
};

} // namespace assay::views

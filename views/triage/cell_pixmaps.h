// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"

#include <QHash>
#include <QPixmap>

class QPainter;
class QRectF;

namespace assay::views {

class Theme;

/// The shapes of the gate strip, drawn once for each size and look: a screen of the list shows several hundred of them.
class CellPixmaps {
public:
    explicit CellPixmaps(const Theme& theme);

    /// Paints @p cell into the square @p rect, whose corner should be on a whole pixel.
    void paint(QPainter& painter, const QRectF& rect, contract::StripCell cell);
    /// The look changed.
    void clear() { m_pixmaps.clear(); }

private:
    const Theme& m_theme;
    QHash<quint64, QPixmap> m_pixmaps;
};

} // namespace assay::views

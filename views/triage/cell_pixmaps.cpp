// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/cell_pixmaps.h"

#include "views/theme/theme.h"

#include <QPainter>

namespace assay::views {

CellPixmaps::CellPixmaps(const Theme& theme)
    : m_theme(theme)
{
}

void CellPixmaps::paint(QPainter& painter, const QRectF& rect, contract::StripCell cell)
{
    const qreal ratio = painter.device()->devicePixelRatioF();
    const int side = qRound(rect.width());
    const quint64 key
        = static_cast<quint64>(cell) | static_cast<quint64>(side) << 8 | static_cast<quint64>(qRound(ratio * 100)) << 32;
    auto found = m_pixmaps.find(key);
    if (found == m_pixmaps.end())
        found = m_pixmaps.insert(key, m_theme.cellPixmap(cell, side, ratio));
    painter.drawPixmap(rect.topLeft(), *found);
}

} // namespace assay::views

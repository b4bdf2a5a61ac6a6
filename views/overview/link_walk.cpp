// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/link_walk.h"

#include <Qt>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::views::link_walk {

int at(const QVector<PanelLink>& links, const QPointF& position)
{
    for (int i = 0; i < links.size(); ++i) {
        if (links[i].rect.adjusted(-2, -2, 2, 2).contains(position))
            return i;
    }
    return -1;
}

int neighbour(const QVector<PanelLink>& links, int from, int arrow)
{
    if (from < 0)
        return -1;
    const QRectF start = links[from].rect;
    const bool sideways = arrow == Qt::Key_Left || arrow == Qt::Key_Right;
    int best = -1;
    qreal bestScore = std::numeric_limits<qreal>::max();
    for (int i = 0; i < links.size(); ++i) {
        const QRectF to = links[i].rect;
        const QPointF step = to.center() - start.center();
        const qreal forward = arrow == Qt::Key_Left ? -step.x()
            : arrow == Qt::Key_Right                ? step.x()
            : arrow == Qt::Key_Up                   ? -step.y()
                                                    : step.y();
        const bool sameRow = std::abs(step.y()) < std::max(start.height(), to.height()) / 2;
        if (i == from || forward <= 1 || (sideways && !sameRow) || (!sideways && sameRow))
            continue;
        const qreal score = forward + (sideways ? 0 : 2 * std::abs(step.x()));
        if (score < bestScore) {
            bestScore = score;
            best = i;
        }
    }
    return best;
}

int rowEnd(const QVector<PanelLink>& links, int from, bool first)
{
    if (from < 0)
        return -1;
    const QRectF start = links[from].rect;
    int best = from;
    for (int i = 0; i < links.size(); ++i) {
        const QRectF to = links[i].rect;
        const bool sameRow = std::abs(to.center().y() - start.center().y()) < start.height() / 2;
        const qreal bestX = links[best].rect.center().x();
        if (sameRow && (first ? to.center().x() < bestX : to.center().x() > bestX))
            best = i;
    }
    return best;
}

int edge(const QVector<PanelLink>& links, bool top, qreal x)
{
    int best = -1;
    qreal bestScore = std::numeric_limits<qreal>::max();
    for (int i = 0; i < links.size(); ++i) {
        const QPointF centre = links[i].rect.center();
        const qreal fromEdge = top ? centre.y() : -centre.y();
        const qreal score = 1000.0 * std::round(fromEdge / 4.0) + std::abs(centre.x() - x);
        if (score < bestScore) {
            bestScore = score;
            best = i;
        }
    }
    return best;
}

} // namespace assay::views::link_walk

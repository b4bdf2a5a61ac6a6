// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"

#include <QRectF>
#include <QString>
#include <QVector>

#include <optional>

namespace assay::views {

/// A number on a panel and the rows behind it.
struct PanelLink {
    QRectF rect = {};
    QString filter = {};       ///< filter line that lists the rows
    QString spoken = {};       ///< the number with its meaning, for tool tips and screen readers
    QString typeKey = {};      ///< what a person types to come here: a family, a gate
    std::int64_t count = -1;   ///< rows behind it; -1 where it is about one kernel
    std::int64_t kernelId = 0; ///< not 0: the link goes to this kernel
    std::optional<contract::Gate> gate = {};
};

/// Where the arrow keys and the mouse find a link among those of a panel. Every function returns an index, -1 for none.
namespace link_walk {

/// The link under @p position, a few pixels around it included.
int at(const QVector<PanelLink>& links, const QPointF& position);
/// The nearest link in the direction of @p arrow (Qt::Key_Left ...): sideways within the row, up and down across rows.
int neighbour(const QVector<PanelLink>& links, int from, int arrow);
/// The first or last link of the row that link @p from stands in.
int rowEnd(const QVector<PanelLink>& links, int from, bool first);
/// The link nearest to @p x in the row at the top, or at the bottom.
int edge(const QVector<PanelLink>& links, bool top, qreal x);

} // namespace link_walk

} // namespace assay::views

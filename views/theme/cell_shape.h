// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"

#include <QString>

class QColor;
class QPainter;
class QRectF;

namespace assay::views {

/// Draws the shape of @p cell in @p colour, centred in @p rect on whole device pixels. Every state has an outline of its own, so
/// that the strip reads in greyscale: workbench.md section 5.
/// @param ground  what shows through the cross of a hard failure
void drawCellShape(QPainter& painter, const QRectF& rect, contract::StripCell cell, const QColor& colour, const QColor& ground);

/// What @p cell means, in the words of the legend: "failed, no tolerance involved". Tool tips and accessible texts use it too.
QString cellTitle(contract::StripCell cell);

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

class QPainter;

/// Short formulas of the plan, whose transposes are written "^T" in the source and as raised letters on paper.
namespace assay::views::math_text {

/// Draws @p text from the left edge of @p rect, centred vertically, broken into as many lines as it needs. Letters shrink where
/// the lines would not fit.
/// @param size  of the letters, in the painter's units
void draw(QPainter& painter, const QRectF& rect, const QString& text, int size, const QColor& colour);

} // namespace assay::views::math_text

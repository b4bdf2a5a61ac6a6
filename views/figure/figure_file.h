// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/figure/figure_look.h"

#include <QImage>
#include <QRectF>
#include <QString>

#include <functional>

class QPainter;

namespace assay::views {

/// A figure that any device can be given.
struct FigureDrawing {
    QString title;       ///< in the file's properties
    QString description; ///< the same
    std::function<void(QPainter& painter, const FigureLook& look, const QRectF& area)> paint; ///< in tenths of a point
};

/// The figure as pixels, on white paper.
QImage imageOf(const FigureDrawing& drawing, const FigureSize& size);

/// Writes the figure on white paper. The ending of @p path says the form: .svg, .pdf or .png.
/// @throws Error  where the ending is another or the file cannot be written
void writeFigure(const FigureDrawing& drawing, const FigureSize& size, const QString& path);

/// Writes @p text whole or not at all. @throws Error
void writeFigureText(const QString& path, std::string_view text);

/// Where the numbers of the figure @p path go: the same name with .csv.
QString figureCsv(const QString& path);

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/figure.h"
#include "views/figure/figure_look.h"

#include <QImage>
#include <QString>

namespace assay::views {

/// The figure as pixels, on white paper.
QImage figureImage(const calibration::FigureData& figure, const FigureSize& size);

/// Writes the figure on white paper, and its numbers as CSV beside it. The ending of @p path says the form: .svg, .pdf or .png.
/// @throws Error  where the ending is another or a file cannot be written
void exportFigure(const calibration::FigureData& figure, const FigureSize& size, const QString& path);

} // namespace assay::views

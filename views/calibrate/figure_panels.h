// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/figure.h"
#include "views/figure/figure_canvas.h"

#include <optional>

/// The parts of a calibration's figure. Each draws its axes and data in the rectangle of its plot; numbers and labels stand
/// outside it, to the left and below.
namespace assay::views::figure_panels {

/// The error axis that densities and distribution functions share, with gutters for what has no logarithm.
struct ErrorAxis {
    FigureAxis axis;
    QRectF zeros;     ///< x range of the gutter of zeros; empty where there are none
    QRectF nonFinite; ///< the same for NaN, infinities and impossible values
};

/// The axis over @p plot that holds every curve and every threshold.
ErrorAxis errorAxis(const calibration::FigureData& figure, const QRectF& plot);

void densities(FigureCanvas& canvas, const calibration::FigureData& figure, const QRectF& plot, const ErrorAxis& error,
               std::optional<double> ghost);
void distributions(FigureCanvas& canvas, const calibration::FigureData& figure, const QRectF& plot, const ErrorAxis& error,
                   std::optional<double> ghost);
/// Distances of floor and onset from the limit in decades, ours and published ones on one scale.
void margins(FigureCanvas& canvas, const calibration::FigureData& figure, const QRectF& plot);
/// @param legend  where the legend goes: of detectionLegendHeight()
void detection(FigureCanvas& canvas, const calibration::FigureData& figure, const QRectF& plot, const QRectF& legend);
/// How high the legend of the detection is, broken to @p width; 0 where nothing was disturbed.
double detectionLegendHeight(const calibration::FigureData& figure, const FigureLook& look, double width);
void roc(FigureCanvas& canvas, const calibration::FigureData& figure, const QRectF& plot, std::optional<double> ghost);

} // namespace assay::views::figure_panels

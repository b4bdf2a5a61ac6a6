// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/figure.h"
#include "views/calibrate/figure_panels.h"

#include <QRectF>

#include <optional>

class QPainter;

namespace assay::views {

/// Draws the figure of one cell on any painter, in tenths of a point: what a window shows, a printer prints and a file holds is
/// one picture.
class FigurePainter {
public:
    /// @param area  of the whole figure, title and caption included
    FigurePainter(const calibration::FigureData& figure, const FigureLook& look, const QRectF& area);

    /// @param ghost  a threshold that is only tried, drawn beside the one that decides
    void paint(QPainter& painter, std::optional<double> ghost = {}) const;

    /// Where thresholds can be taken hold of, and the error axis over it.
    QRectF densityPlot() const { return m_densities; }
    const FigureAxis& errorAxis() const { return m_error.axis; }
    QRectF detectionPlot() const { return m_detection; }
    QRectF detectionLegend() const { return m_legend; }

private:
    void arrange();
    void arrangeWide(const QRectF& body);
    void arrangeTall(const QRectF& body);
    void paintHead(FigureCanvas& canvas) const;

    const calibration::FigureData& m_figure;
    const FigureLook& m_look;
    QRectF m_area;
    std::vector<QString> m_caption;
    QRectF m_densities;
    QRectF m_distributions;
    QRectF m_margins;
    QRectF m_detection;
    QRectF m_legend; ///< above the detection, where it lies on no curve
    QRectF m_roc;
    figure_panels::ErrorAxis m_error;
};

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/figure/figure_canvas.h"
#include "views/launch/plan_figure.h"

#include <QRectF>

#include <vector>

class QPainter;

namespace assay::views {

/// Draws the plan of the device kernels on any painter, in tenths of a point: accumulators in tensor memory over the phases of a
/// chunk, and what each kernel takes of shared memory and registers.
class PlanPainter {
public:
    PlanPainter(const PlanFigure& figure, const FigureLook& look, const QRectF& area);

    void paint(QPainter& painter) const;

    /// Where accumulator @p slot of the plan is drawn in @p phase, both counted from 0.
    QRectF cell(std::size_t slot, int phase) const;

private:
    void arrange();
    void paintColumns(FigureCanvas& canvas) const;
    void paintCell(FigureCanvas& canvas, std::size_t slot, int phase) const;
    void paintLimit(FigureCanvas& canvas) const;
    void paintLegend(FigureCanvas& canvas) const;
    void paintKernels(FigureCanvas& canvas) const;
    void paintLimits(FigureCanvas& canvas, double bottom) const;
    void paintKernel(FigureCanvas& canvas, std::size_t index, double middle) const;
    double barAt(double bytes) const;
    double rowHeight() const;

    const PlanFigure& m_figure;
    const FigureLook& m_look;
    QRectF m_area;
    std::vector<QString> m_caption;
    bool m_isNarrow = false;
    double m_names = 0; ///< width of the kernels' names
    QRectF m_columns;   ///< columns downwards, phases to the right
    QRectF m_bars;      ///< shared memory to the right, kernels downwards
};

} // namespace assay::views

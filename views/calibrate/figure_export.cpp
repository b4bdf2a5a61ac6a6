// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/figure_export.h"

#include "core/report/calibration_data.h"
#include "views/calibrate/figure_painter.h"
#include "views/figure/figure_file.h"

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

/// Valid while @p figure lives.
FigureDrawing drawingOf(const calibration::FigureData& figure)
{
    return {u"Calibration of "_s + QString::fromStdString(calibration::title(figure.cell)),
            QString::fromStdString(figure.version), [&figure](QPainter& painter, const FigureLook& look, const QRectF& area) {
                FigurePainter(figure, look, area).paint(painter);
            }};
}

} // namespace

QImage figureImage(const calibration::FigureData& figure, const FigureSize& size)
{
    return imageOf(drawingOf(figure), size);
}

void exportFigure(const calibration::FigureData& figure, const FigureSize& size, const QString& path)
{
    writeFigure(drawingOf(figure), size, path);
    writeFigureText(figureCsv(path), report::toCsv(figure));
}

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/figure_export.h"

#include "core/report/calibration_data.h"
#include "core/report/output_file.h"
#include "core/text/error.h"
#include "views/calibrate/figure_painter.h"
#include "views/state/workspace.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPdfDots = 1200;
constexpr double kUnitsPerInch = 720;

QSizeF unitsOf(const FigureSize& size)
{
    return size.millimetres * kUnitsPerMillimetre;
}

void paintOn(QPaintDevice& device, const calibration::FigureData& figure, const FigureSize& size, double scale)
{
    const FigureLook look = paperLook();
    QPainter painter(&device);
    painter.scale(scale, scale);
    FigurePainter(figure, look, QRectF(QPointF(0, 0), unitsOf(size))).paint(painter);
}

QString titleOf(const calibration::FigureData& figure)
{
    return u"Calibration of "_s + QString::fromStdString(calibration::title(figure.cell));
}

/// The generator rounds the size to whole units; journals measure.
QByteArray withExactSize(QByteArray svg, const FigureSize& size)
{
    const QByteArray exact = "<svg width=\"" + QByteArray::number(size.millimetres.width()) + "mm\" height=\""
        + QByteArray::number(size.millimetres.height()) + "mm\"";
    const qsizetype from = svg.indexOf("<svg width=");
    const qsizetype to = svg.indexOf('\n', from);
    if (from >= 0 && to > from)
        svg.replace(from, to - from, exact);
    return svg;
}

QByteArray svgOf(const calibration::FigureData& figure, const FigureSize& size)
{
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setTitle(titleOf(figure));
    generator.setDescription(QString::fromStdString(figure.version));
    // A resolution of 720 makes a unit of the figure one of the file, and its width in millimetres come out right.
    generator.setResolution(static_cast<int>(kUnitsPerInch));
    generator.setSize(unitsOf(size).toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), unitsOf(size)));
    paintOn(generator, figure, size, 1);
    return withExactSize(buffer.data(), size);
}

QByteArray pdfOf(const calibration::FigureData& figure, const FigureSize& size)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(titleOf(figure));
    writer.setResolution(kPdfDots);
    writer.setPageSize(QPageSize(size.millimetres, QPageSize::Millimeter, size.name, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    paintOn(writer, figure, size, kPdfDots / kUnitsPerInch);
    return buffer.data();
}

QByteArray pngOf(const calibration::FigureData& figure, const FigureSize& size)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    figureImage(figure, size).save(&buffer, "PNG");
    return buffer.data();
}

void write(const QString& path, std::string_view bytes)
{
    report::OutputFile file(toFilesystemPath(path));
    file.write(bytes);
    file.commit();
}

} // namespace

QImage figureImage(const calibration::FigureData& figure, const FigureSize& size)
{
    const QSizeF units = unitsOf(size);
    const double scale = size.pixels / units.width();
    QImage image(size.pixels, qRound(units.height() * scale), QImage::Format_RGB32);
    image.fill(Qt::white);
    const int dotsPerMetre = qRound(size.pixels / size.millimetres.width() * 1000);
    image.setDotsPerMeterX(dotsPerMetre);
    image.setDotsPerMeterY(dotsPerMetre);
    paintOn(image, figure, size, scale);
    return image;
}

void exportFigure(const calibration::FigureData& figure, const FigureSize& size, const QString& path)
{
    const QString form = QFileInfo(path).suffix().toLower();
    QByteArray bytes;
    if (form == u"svg"_s)
        bytes = svgOf(figure, size);
    else if (form == u"pdf"_s)
        bytes = pdfOf(figure, size);
    else if (form == u"png"_s)
        bytes = pngOf(figure, size);
    else
        throw Error("a figure is a .svg, .pdf or .png", path.toStdString(), "End the name so");
    write(path, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
    write(figureCsv(path), report::toCsv(figure));
}

QString figureCsv(const QString& path)
{
    const QFileInfo info(path);
    return info.path() + u'/' + info.completeBaseName() + u".csv"_s;
}

} // namespace assay::views

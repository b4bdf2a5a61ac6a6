// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/figure/figure_file.h"

#include "core/report/output_file.h"
#include "core/text/error.h"
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

void paintOn(QPaintDevice& device, const FigureDrawing& drawing, const FigureSize& size, double scale)
{
    QPainter painter(&device);
    painter.scale(scale, scale);
    drawing.paint(painter, paperLook(), QRectF(QPointF(0, 0), unitsOf(size)));
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

QByteArray svgOf(const FigureDrawing& drawing, const FigureSize& size)
{
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setTitle(drawing.title);
    generator.setDescription(drawing.description);
    // A resolution of 720 makes a unit of the figure one of the file, and its width in millimetres come out right.
    generator.setResolution(static_cast<int>(kUnitsPerInch));
    generator.setSize(unitsOf(size).toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), unitsOf(size)));
    paintOn(generator, drawing, size, 1);
    return withExactSize(buffer.data(), size);
}

QByteArray pdfOf(const FigureDrawing& drawing, const FigureSize& size)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(drawing.title);
    writer.setResolution(kPdfDots);
    writer.setPageSize(QPageSize(size.millimetres, QPageSize::Millimeter, size.name, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    paintOn(writer, drawing, size, kPdfDots / kUnitsPerInch);
    return buffer.data();
}

QByteArray pngOf(const FigureDrawing& drawing, const FigureSize& size)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    imageOf(drawing, size).save(&buffer, "PNG");
    return buffer.data();
}

} // namespace

QImage imageOf(const FigureDrawing& drawing, const FigureSize& size)
{
    const QSizeF units = unitsOf(size);
    const double scale = size.pixels / units.width();
    QImage image(size.pixels, qRound(units.height() * scale), QImage::Format_RGB32);
    image.fill(Qt::white);
    const int dotsPerMetre = qRound(size.pixels / size.millimetres.width() * 1000);
    image.setDotsPerMeterX(dotsPerMetre);
    image.setDotsPerMeterY(dotsPerMetre);
    paintOn(image, drawing, size, scale);
    return image;
}

void writeFigure(const FigureDrawing& drawing, const FigureSize& size, const QString& path)
{
    const QString form = QFileInfo(path).suffix().toLower();
    QByteArray bytes;
    if (form == u"svg"_s)
        bytes = svgOf(drawing, size);
    else if (form == u"pdf"_s)
        bytes = pdfOf(drawing, size);
    else if (form == u"png"_s)
        bytes = pngOf(drawing, size);
    else
        throw Error("a figure is a .svg, .pdf or .png", path.toStdString(), "End the name so");
    writeFigureText(path, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

void writeFigureText(const QString& path, std::string_view text)
{
    report::OutputFile file(toFilesystemPath(path));
    file.write(text);
    file.commit();
}

QString figureCsv(const QString& path)
{
    const QFileInfo info(path);
    return info.path() + u'/' + info.completeBaseName() + u".csv"_s;
}

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/figure/figure_canvas.h"

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPainterPath>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr double kTick = 16;
constexpr double kTickGap = 14;

QString familyName()
{
    return QFontDatabase::hasFamily(u"Inter"_s) ? u"Inter"_s : u"DejaVu Sans"_s;
}

} // namespace

double FigureAxis::held(double value) const
{
    return at(std::clamp(value, low, high));
}

FigureCanvas::FigureCanvas(QPainter& painter, const FigureLook& look)
    : m_painter(painter)
    , m_look(look)
{
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
}

QFont FigureCanvas::font(int size, bool isBold)
{
    QFont font(familyName());
    font.setPixelSize(size);
    font.setWeight(isBold ? QFont::DemiBold : QFont::Normal);
    // Hints move letters by the device's pixels, and a figure has to be one on every device.
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

void FigureCanvas::text(QPointF at, Qt::Alignment flags, const QString& text, int size, const QColor& colour, bool isBold)
{
    const QFont used = font(size, isBold);
    const QFontMetricsF metrics(used);
    const double width = metrics.horizontalAdvance(text);
    if (flags.testFlag(Qt::AlignRight))
        at.rx() -= width;
    else if (flags.testFlag(Qt::AlignHCenter))
        at.rx() -= width / 2;
    if (flags.testFlag(Qt::AlignTop))
        at.ry() += metrics.ascent();
    else if (flags.testFlag(Qt::AlignVCenter))
        at.ry() += metrics.capHeight() / 2;
    m_painter.setFont(used);
    m_painter.setPen(colour);
    m_painter.drawText(at, text);
}

void FigureCanvas::upright(QPointF at, const QString& shown, int size, const QColor& colour)
{
    m_painter.save();
    m_painter.translate(at);
    m_painter.rotate(-90);
    text({0, 0}, Qt::AlignHCenter | Qt::AlignVCenter, shown, size, colour);
    m_painter.restore();
}

double FigureCanvas::widthOf(const QString& text, int size, bool isBold)
{
    return QFontMetricsF(font(size, isBold)).horizontalAdvance(text);
}

std::vector<QString> FigureCanvas::wrapped(std::span<const QString> paragraphs, int size, double width)
{
    const QFontMetricsF metrics(font(size, false));
    std::vector<QString> lines;
    for (const QString& paragraph : paragraphs) {
        QString line;
        for (const QString& word : paragraph.split(u' ')) {
            const QString longer = line.isEmpty() ? word : line + u' ' + word;
            if (line.isEmpty() || metrics.horizontalAdvance(longer) <= width) {
                line = longer;
            } else {
                lines.push_back(line);
                line = word;
            }
        }
        lines.push_back(line);
    }
    return lines;
}

void FigureCanvas::line(QPointF from, QPointF to, const QColor& colour, double width, Qt::PenStyle style)
{
    QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap);
    if (style == Qt::DashLine)
        pen.setDashPattern({36 / width, 24 / width});
    else if (style == Qt::DotLine)
        pen.setDashPattern({12 / width, 18 / width});
    m_painter.setPen(pen);
    m_painter.drawLine(from, to);
}

void FigureCanvas::polyline(std::span<const QPointF> points, const QColor& colour, double width)
{
    m_painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawPolyline(points.data(), static_cast<int>(points.size()));
}

void FigureCanvas::area(std::span<const QPointF> points, const QColor& colour)
{
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(colour);
    m_painter.drawPolygon(points.data(), static_cast<int>(points.size()));
}

void FigureCanvas::box(const QRectF& rect, const QColor& fill)
{
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(fill);
    m_painter.drawRect(rect);
}

void FigureCanvas::dot(QPointF at, double radius, const QColor& colour)
{
    m_painter.setPen(QPen(m_look.paper, kHair));
    m_painter.setBrush(colour);
    m_painter.drawEllipse(at, radius, radius);
}

void FigureCanvas::frame(const QRectF& plot)
{
    line(plot.bottomLeft(), plot.bottomRight(), m_look.muted, 6);
    line(plot.topLeft(), plot.bottomLeft(), m_look.muted, 6);
}

void FigureCanvas::decades(const QRectF& plot, const FigureAxis& axis, const QString& label, bool hasNumbers)
{
    const int first = static_cast<int>(std::ceil(axis.low - 1e-9));
    const int last = static_cast<int>(std::floor(axis.high + 1e-9));
    const double room = (axis.to - axis.from) / (axis.high - axis.low);
    int every = 1;
    while (every * room < 1.6 * widthOf(u"10\u207B\u00B2"_s, kSmall))
        ++every;
    for (int exponent = first; exponent <= last; ++exponent) {
        const double x = axis.at(exponent);
        const bool isLabelled = exponent % every == 0;
        line({x, plot.bottom()}, {x, plot.bottom() + (isLabelled ? kTick : kTick / 2)}, m_look.muted, 6);
        if (isLabelled && hasNumbers)
            text({x, plot.bottom() + kTick + kTickGap / 2}, Qt::AlignHCenter | Qt::AlignTop, powerOfTen(exponent), kSmall,
                 m_look.ink);
    }
    if (!label.isEmpty())
        text({(axis.from + axis.to) / 2, plot.bottom() + kTick + 105}, Qt::AlignHCenter | Qt::AlignTop, label, kSmall,
             m_look.muted);
}

void FigureCanvas::numbers(const QRectF& plot, const FigureAxis& axis, std::span<const double> ticks, const QString& label)
{
    double widest = 0;
    for (const double tick : ticks) {
        const double y = axis.at(tick);
        line({plot.left() - kTick, y}, {plot.left(), y}, m_look.muted, 6);
        const QString number = shortNumber(tick);
        widest = std::max(widest, widthOf(number, kSmall));
        text({plot.left() - kTick - kTickGap, y}, Qt::AlignRight | Qt::AlignVCenter, number, kSmall, m_look.ink);
    }
    upright({plot.left() - kTick - kTickGap - widest - 55, plot.center().y()}, label, kSmall, m_look.muted);
}

QString powerOfTen(int exponent)
{
    static const QString digits = u"\u2070\u00B9\u00B2\u00B3\u2074\u2075\u2076\u2077\u2078\u2079"_s;
    QString text = u"10"_s;
    if (exponent < 0)
        text += QChar(0x207B);
    for (const QChar digit : QString::number(std::abs(exponent)))
        text += digits[digit.digitValue()];
    return text;
}

QString shortNumber(double value)
{
    const double size = std::abs(value);
    if (value == 0)
        return u"0"_s;
    if (size >= 1e3 && size < 1e5)
        return QString::number(value, 'f', 0);
    if (size >= 1e-3 && size < 1e3)
        return QString::number(value, 'g', 3);
    const int exponent = static_cast<int>(std::floor(std::log10(size)));
    return u"%1\u00D7%2"_s.arg(QString::number(value / std::pow(10, exponent), 'g', 3), powerOfTen(exponent));
}

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/math_text.h"

#include "views/figure/figure_canvas.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStringList>

#include <vector>

namespace assay::views::math_text {

using namespace Qt::StringLiterals;

namespace {

constexpr double kRaised = 0.72;     ///< size of a raised letter
constexpr double kLift = 0.42;       ///< of the size of its neighbours
constexpr double kLineStep = 1.22;   ///< of the size
constexpr double kStillWhole = 0.84; ///< of the size
constexpr int kSmallest = 50;        ///< tenths of a point

const QString kTransposed = QStringLiteral("^T");

QFont smaller(QFont font)
{
    font.setPixelSize(qRound(font.pixelSize() * kRaised));
    return font;
}

double widthOf(const QString& word, const QFont& font)
{
    const QStringList parts = word.split(kTransposed);
    double width = QFontMetricsF(smaller(font)).horizontalAdvance(u'T') * static_cast<double>(parts.size() - 1);
    for (const QString& part : parts)
        width += QFontMetricsF(font).horizontalAdvance(part);
    return width;
}

QStringList linesOf(const QString& text, const QFont& font, double width)
{
    QStringList lines;
    for (const QString& word : text.split(u' ')) {
        const QString longer = lines.isEmpty() ? word : lines.last() + u' ' + word;
        if (!lines.isEmpty() && widthOf(longer, font) <= width)
            lines.last() = longer;
        else
            lines << word;
    }
    return lines;
}

void drawLine(QPainter& painter, QPointF at, const QString& line, const QFont& font)
{
    const QStringList parts = line.split(kTransposed);
    for (qsizetype i = 0; i < parts.size(); ++i) {
        if (i > 0) {
            painter.setFont(smaller(font));
            painter.drawText(at - QPointF(0, kLift * font.pixelSize()), u"T"_s);
            at.rx() += QFontMetricsF(smaller(font)).horizontalAdvance(u'T');
        }
        painter.setFont(font);
        painter.drawText(at, parts[i]);
        at.rx() += QFontMetricsF(font).horizontalAdvance(parts[i]);
    }
}

} // namespace

void draw(QPainter& painter, const QRectF& rect, const QString& text, int size, const QColor& colour)
{
    QFont font = FigureCanvas::font(size);
    QStringList lines = linesOf(text, font, rect.width());
    // A formula that is whole reads better than one in larger letters.
    if (lines.size() > 1 && text.contains(kTransposed)) {
        const QFont least = FigureCanvas::font(qRound(size * kStillWhole));
        if (widthOf(text, least) <= rect.width()) {
            font = least;
            lines = {text};
        }
    }
    while (static_cast<double>(lines.size()) * kLineStep * font.pixelSize() > rect.height() && font.pixelSize() > kSmallest) {
        font = FigureCanvas::font(font.pixelSize() - 4);
        lines = linesOf(text, font, rect.width());
    }
    const double step = kLineStep * font.pixelSize();
    double y = rect.center().y() - step * static_cast<double>(lines.size() - 1) / 2 + QFontMetricsF(font).capHeight() / 2;
    painter.setPen(colour);
    for (const QString& line : lines) {
        drawLine(painter, {rect.left(), y}, line, font);
        y += step;
    }
}

} // namespace assay::views::math_text

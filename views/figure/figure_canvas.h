// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/figure/figure_look.h"

#include <QFont>
#include <QPainter>
#include <QRectF>
#include <QString>

#include <span>
#include <vector>

namespace assay::views {

/// A range of numbers on a stretch of paper.
struct FigureAxis {
    double low = 0;
    double high = 1;
    double from = 0; ///< where low is drawn
    double to = 1;   ///< where high is

    double at(double value) const { return from + (value - low) / (high - low) * (to - from); }
    double valueAt(double place) const { return low + (place - from) / (to - from) * (high - low); }
    double held(double value) const; ///< at(), kept on the axis
};

/// A painter with the letters and lines of a figure; everything is in tenths of a point.
class FigureCanvas {
public:
    static constexpr int kSmall = 70; ///< 7 pt
    static constexpr int kText = 75;
    static constexpr int kTitle = 90;
    static constexpr double kHair = 4; ///< width of lines
    static constexpr double kCurve = 9;
    static constexpr double kRule = 12;

    FigureCanvas(QPainter& painter, const FigureLook& look);

    QPainter& painter() { return m_painter; }
    const FigureLook& look() const { return m_look; }

    /// @param flags  Qt::Alignment of the text about @p at
    void text(QPointF at, Qt::Alignment flags, const QString& text, int size, const QColor& colour, bool isBold = false);
    /// Text that reads upwards, centred about @p at.
    void upright(QPointF at, const QString& text, int size, const QColor& colour);
    static QFont font(int size, bool isBold = false);
    static double widthOf(const QString& text, int size, bool isBold = false);
    /// @p paragraphs broken to @p width.
    static std::vector<QString> wrapped(std::span<const QString> paragraphs, int size, double width);

    void line(QPointF from, QPointF to, const QColor& colour, double width = kHair, Qt::PenStyle style = Qt::SolidLine);
    void polyline(std::span<const QPointF> points, const QColor& colour, double width = kCurve);
    void area(std::span<const QPointF> points, const QColor& colour);
    void box(const QRectF& rect, const QColor& fill);
    void dot(QPointF at, double radius, const QColor& colour);

    /// Powers of ten under @p plot, thinned to what fits, and a label.
    void decades(const QRectF& plot, const FigureAxis& axis, const QString& label, bool hasNumbers = true);
    /// Numbers beside @p plot.
    void numbers(const QRectF& plot, const FigureAxis& axis, std::span<const double> ticks, const QString& label);
    void frame(const QRectF& plot);

private:
    QPainter& m_painter;
    const FigureLook& m_look;
};

/// "10⁻³"
QString powerOfTen(int exponent);
/// Three significant digits, without an exponent where that is short.
QString shortNumber(double value);

} // namespace assay::views

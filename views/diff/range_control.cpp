// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/range_control.h"

#include "views/diff/diff_words.h"
#include "views/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr double kText = 16;      // px: the line of numbers below
constexpr double kStrip = 6;      // px: the colours
constexpr double kMargin = 10;    // px: room for a handle at either end
constexpr double kBarWidth = 3;   // px
constexpr double kKeyStep = 0.02; // of the axis
} // namespace

RangeControl::RangeControl(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setAccessibleName(tr("Range of the colours"));
    setFocusPolicy(Qt::TabFocus);
    setMinimumSize(160, 64);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setToolTip(
        tr("How often each value occurs (height: logarithm of the count). Drag the ends of the range; R fits it to the data."));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize RangeControl::sizeHint() const
{
    return {320, minimumHeight()};
}

void RangeControl::setData(std::vector<diff::ValueHistogram::Bin> bins, double axisLow, double axisHigh)
{
    m_bins = std::move(bins);
    m_axisLow = axisLow;
    m_axisHigh = axisHigh > axisLow ? axisHigh : axisLow + 1;
    update();
}

void RangeControl::setScale(const ColorScale& scale)
{
    m_scale = scale;
    setAccessibleDescription(tr("From %1 to %2").arg(diff_words::number(scale.low()), diff_words::number(scale.high())));
    update();
}

QRectF RangeControl::plot() const
{
    return QRectF(rect()).adjusted(kMargin, 4, -kMargin, -kText - kStrip - 2);
}

ColorScale RangeControl::axis() const
{
    return {m_scale.map(), m_scale.kind(), std::min(m_axisLow, m_scale.low()), std::max(m_axisHigh, m_scale.high())};
}

double RangeControl::positionOf(double value) const
{
    return plot().left() + axis().position(value) * plot().width();
}

void RangeControl::paintBars(QPainter& painter) const
{
    const QRectF area = plot();
    const auto bars = static_cast<std::size_t>(std::max(1.0, area.width() / kBarWidth));
    std::vector<double> heights(bars);
    const ColorScale along = axis();
    for (const auto& bin : m_bins) {
        // A bin that is wider than a bar is shared out, else its neighbours would be empty.
        const auto first = static_cast<std::size_t>(
            std::min(along.position(bin.low) * static_cast<double>(bars), static_cast<double>(bars - 1)));
        const auto last = static_cast<std::size_t>(
            std::min(along.position(bin.high) * static_cast<double>(bars), static_cast<double>(bars - 1)));
        for (std::size_t bar = first; bar <= last; ++bar)
            heights[bar] += static_cast<double>(bin.count) / static_cast<double>(last - first + 1);
    }
    const double largest = std::log1p(*std::ranges::max_element(heights));
    if (largest <= 0)
        return;
    for (std::size_t bar = 0; bar < bars; ++bar) {
        if (heights[bar] <= 0)
            continue;
        const double height = std::max(1.0, std::log1p(heights[bar]) / largest * area.height());
        const double value = along.valueAt((static_cast<double>(bar) + 0.5) / static_cast<double>(bars));
        const bool isInside = value >= m_scale.low() && value <= m_scale.high();
        painter.fillRect(QRectF(area.left() + static_cast<double>(bar) * area.width() / static_cast<double>(bars),
                                area.bottom() - height, kBarWidth - 1, height),
                         isInside ? m_theme.accent() : m_theme.line());
    }
}

void RangeControl::paintHandle(QPainter& painter, double value, const QString& text, bool isLow) const
{
    const QRectF area = plot();
    const double x = positionOf(value);
    painter.setPen(QPen(m_theme.ink(), 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom() + kStrip + 2));
    painter.setBrush(m_theme.ink());
    const double way = isLow ? -1 : 1;
    const QPointF flag[] = {{x, area.top()}, {x + way * 6, area.top() + 4}, {x, area.top() + 8}};
    painter.drawPolygon(flag, 3);
    const double wide = painter.fontMetrics().horizontalAdvance(text) + 4;
    const double left = std::clamp(isLow ? x : x - wide, 0.0, std::max(0.0, width() - wide));
    painter.drawText(QRectF(left, height() - kText, wide, kText), Qt::AlignVCenter | (isLow ? Qt::AlignLeft : Qt::AlignRight),
                     text);
}

void RangeControl::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(m_theme.smallFont());
    const QRectF area = plot();
    painter.fillRect(area, m_theme.raised());
    paintBars(painter);
    const double left = positionOf(m_scale.low()), right = positionOf(m_scale.high());
    QLinearGradient colors(left, 0, std::max(right, left + 1), 0);
    constexpr int kStops = 32;
    for (int i = 0; i <= kStops; ++i)
        colors.setColorAt(i / double(kStops), QColor::fromRgb(ColorScale::mapColor(m_scale.map(), i / double(kStops))));
    painter.fillRect(QRectF(area.left(), area.bottom() + 2, area.width(), kStrip), colors);
    paintHandle(painter, m_scale.low(), diff_words::number(m_scale.low()), true);
    paintHandle(painter, m_scale.high(), diff_words::number(m_scale.high()), false);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.accent(), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void RangeControl::moveHandle(double x)
{
    const double value = axis().valueAt(std::clamp((x - plot().left()) / plot().width(), 0.0, 1.0));
    const double low = m_dragged == Handle::Low ? value : m_scale.low();
    const double high = m_dragged == Handle::High ? value : m_scale.high();
    if (low < high)
        Q_EMIT rangeChanged(low, high);
}

void RangeControl::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const double x = event->position().x();
    const bool isNearerToLow = std::fabs(x - positionOf(m_scale.low())) < std::fabs(x - positionOf(m_scale.high()));
    m_dragged = isNearerToLow ? Handle::Low : Handle::High;
    moveHandle(x);
}

void RangeControl::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragged != Handle::None)
        moveHandle(event->position().x());
}

void RangeControl::mouseReleaseEvent(QMouseEvent*)
{
    m_dragged = Handle::None;
}

/// Arrows move the upper end, with Shift the lower one.
void RangeControl::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Left && event->key() != Qt::Key_Right)
        return QWidget::keyPressEvent(event);
    m_dragged = event->modifiers() & Qt::ShiftModifier ? Handle::Low : Handle::High;
    const double from = positionOf(m_dragged == Handle::Low ? m_scale.low() : m_scale.high());
    moveHandle(from + (event->key() == Qt::Key_Right ? 1 : -1) * kKeyStep * plot().width());
    m_dragged = Handle::None;
}

} // namespace assay::views

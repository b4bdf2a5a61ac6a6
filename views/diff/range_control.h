// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/value_histogram.h"
#include "views/diff/color_scale.h"

#include <QWidget>

#include <vector>

namespace assay::views {

class Theme;

/// The range that the colours span, over a histogram of what there is; both ends can be dragged. Drawn on the axis of the scale.
class RangeControl final : public QWidget {
    Q_OBJECT
public:
    explicit RangeControl(const Theme& theme, QWidget* parent = nullptr);

    /// What the axis covers. @param bins  rising
    void setData(std::vector<diff::ValueHistogram::Bin> bins, double axisLow, double axisHigh);
    void setScale(const ColorScale& scale);
    const ColorScale& scale() const { return m_scale; }
    /// Where a value stands, px from the left.
    double positionOf(double value) const;

    QSize sizeHint() const override;

Q_SIGNALS:
    void rangeChanged(double low, double high);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    enum class Handle { None, Low, High };
    QRectF plot() const;
    ColorScale axis() const;
    void moveHandle(double x);
    void paintBars(QPainter& painter) const;
    void paintHandle(QPainter& painter, double value, const QString& text, bool isLow) const;

    const Theme& m_theme;
    ColorScale m_scale;
    std::vector<diff::ValueHistogram::Bin> m_bins;
    double m_axisLow = 0;
    double m_axisHigh = 1;
    Handle m_dragged = Handle::None;
};

} // namespace assay::views

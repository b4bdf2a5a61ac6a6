// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/launch/plan_figure.h"

#include <QWidget>

#include <optional>

namespace assay::views {

class Theme;

/// The plan of the device kernels on screen. Letters keep their size; what is drawn takes the room that there is.
class PlanView final : public QWidget {
    Q_OBJECT
public:
    explicit PlanView(const Theme& theme, QWidget* parent = nullptr);

    void setFigure(PlanFigure figure);
    const std::optional<PlanFigure>& figure() const { return m_figure; }

    QSize sizeHint() const override;
    /// Where accumulator @p slot is drawn in @p phase, in pixels.
    QRectF cell(std::size_t slot, int phase) const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    double scale() const;
    QRectF area() const;
    QString tip(const QPointF& place) const;

    const Theme& m_theme;
    FigureLook m_look;
    std::optional<PlanFigure> m_figure;
};

} // namespace assay::views

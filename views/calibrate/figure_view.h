// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/figure.h"
#include "views/figure/figure_look.h"

#include <QWidget>

#include <memory>
#include <optional>

namespace assay::views {

class FigurePainter;
class Theme;

/// The figure of one cell on screen, with a threshold that can be dragged: a line of its own beside the one that decides, which
/// never moves.
class FigureView final : public QWidget {
    Q_OBJECT
public:
    explicit FigureView(const Theme& theme, QWidget* parent = nullptr);
    ~FigureView() override;

    void setFigure(const calibration::FigureData& figure);
    bool hasFigure() const { return m_figure.has_value(); }
    const calibration::FigureData& figure() const { return *m_figure; }

    std::optional<double> ghost() const { return m_ghost; }
    void setGhost(std::optional<double> threshold);
    /// Moves the tried threshold, which begins where the limit that decides is.
    void nudge(double decades);
    /// Where @p threshold is drawn, in pixels.
    QPointF placeOf(double threshold);

Q_SIGNALS:
    void ghostChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void dragTo(QPointF place);
    double scale() const;
    const FigurePainter& painter();

    const Theme& m_theme;
    FigureLook m_look;
    std::optional<calibration::FigureData> m_figure;
    std::unique_ptr<FigurePainter> m_painter; ///< of the present size; made when it is needed
    std::optional<double> m_ghost;
};

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/diff/grid_painter.h"

#include <QWidget>

#include <memory>

namespace assay::views {

class Theme;
class Viewport;

using DiffPicturePtr = std::shared_ptr<const DiffPicture>;

/// One of the linked panes: paints what the viewport shows of one side. Until a new picture is there the last one is drawn at its
/// new place, so that a frame never waits.
///
/// Wheel zooms, drag moves, click picks, double click zooms in; arrows move the pick.
class TensorPane final : public QWidget {
    Q_OBJECT
public:
    enum class Side { Reference, Candidate, Error };
    TensorPane(const Theme& theme, Viewport& viewport, Side side, QWidget* parent = nullptr);

    void setPicture(DiffPicturePtr picture);
    void setCaption(const QString& caption);
    /// Shows the other side in the same place while @p side differs from the pane's own: blinking.
    void setShownSide(Side side);
    Side shownSide() const { return m_shown; }
    /// The part below the caption.
    QRectF canvas() const;

    QSize sizeHint() const override;

Q_SIGNALS:
    /// A click at a position of the canvas.
    void clicked(QPointF position);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void paintPicture(QPainter& painter) const;
    void paintHatch(QPainter& painter) const;
    void paintPick(QPainter& painter) const;
    void paintCaption(QPainter& painter) const;

    const Theme& m_theme;
    Viewport& m_viewport;
    Side m_side;
    Side m_shown;
    QString m_caption;
    DiffPicturePtr m_picture;
    QPointF m_pressed;
    QPointF m_last;
    bool m_isDragging = false;
};

} // namespace assay::views

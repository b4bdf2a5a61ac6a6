// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAbstractItemModel;

namespace assay::views {

class Theme;

/// The gates of a run as tiles, six a row where there is room. Arrows, Home, End and the mouse choose one.
/// Paints the roles of GateTileModel and knows nothing of where they come from.
class GateTiles final : public QWidget {
    Q_OBJECT
public:
    GateTiles(QAbstractItemModel& model, const Theme& theme, QWidget* parent = nullptr);

    int current() const { return m_current; }
    void setCurrent(int row);
    QRectF tileRect(int row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

Q_SIGNALS:
    void currentChanged(int row);
    /// A double click.
    void activated(int row);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    int columnsFor(int width) const;
    int tileAt(const QPointF& place) const;
    void paintTile(QPainter& painter, int row) const;
    void describe();

    QAbstractItemModel& m_model;
    const Theme& m_theme;
    int m_current = 0;
};

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/error_pyramid.h"

#include <QObject>
#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <optional>

namespace assay::views {

/// The part of a plane that the linked panes show, and the element that is picked. One object for all panes: they cannot drift
/// apart.
class Viewport final : public QObject {
    Q_OBJECT
public:
    explicit Viewport(QObject* parent = nullptr);

    /// A plane of another size: shown whole, nothing picked.
    void setPlane(std::int64_t rows, std::int64_t columns);
    /// Size of one pane, logical pixels. What is shown whole stays whole.
    void setPaneSize(QSizeF size);
    QSizeF paneSize() const { return m_paneSize; }

    double scale() const { return m_scale; } ///< logical pixels an element
    std::int64_t rows() const { return m_rows; }
    std::int64_t columns() const { return m_columns; }

    QRectF toPane(const diff::ElementRect& rect) const;
    QPointF elementAt(QPointF position) const; ///< x: column, y: row, fractions of elements
    std::optional<diff::Cell> cellAt(QPointF position) const;
    /// Elements that are in view, with @p margin times the view around them.
    diff::ElementRect visible(double margin = 0) const;

    void fit();
    bool isFitted() const { return m_isFitted; }
    void zoom(double factor, QPointF around);
    void pan(QPointF pixels);
    void center(const diff::Cell& cell);
    /// Moves the view as little as needed; zooms in where elements are too small to be told apart.
    void reveal(const diff::Cell& cell);

    std::optional<diff::Cell> picked() const { return m_picked; }
    void pick(std::optional<diff::Cell> cell);
    void nudge(std::int64_t rows, std::int64_t columns);

Q_SIGNALS:
    void changed();
    void pickChanged();

private:
    void keepInside();
    double fittingScale() const;

    std::int64_t m_rows = 0;
    std::int64_t m_columns = 0;
    QSizeF m_paneSize{1, 1};
    double m_scale = 1;
    QPointF m_origin; ///< element at the pane's top left corner
    bool m_isFitted = true;
    std::optional<diff::Cell> m_picked;
};

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QPalette>

class QApplication;
class QCustomPlot;
class QPainter;
class QRectF;

namespace assay::views {

/// Colours, fonts and icons of the light and the dark look (workbench.md section 5). Everything that paints asks here.
class Theme final : public QObject {
    Q_OBJECT
public:
    enum class Mode { Light, Dark, System };
    Q_ENUM(Mode)

    explicit Theme(QObject* parent = nullptr);

    void setMode(Mode mode);
    Mode mode() const;
    bool isDark() const;
    /// Fusion, palette and style sheet on the application.
    void apply(QApplication& application);

    QColor surface() const; ///< page background
    QColor raised() const;  ///< panels, headers
    QColor line() const;
    QColor ink() const;
    QColor mutedInk() const;
    QColor accent() const;
    QColor accentInk() const; ///< text on the accent
    QColor hover() const;     ///< row or button under the pointer
    QColor selected() const;  ///< selected row: the accent, quiet enough for verdict colours on top of it
    QColor warning() const;   ///< banner ground
    QColor cell(contract::StripCell cell) const;

    QFont uiFont() const;     ///< Inter or the system sans, 10 pt
    QFont smallFont() const;  ///< captions and column headers
    QFont titleFont() const;  ///< page titles
    QFont numberFont() const; ///< mono with tabular figures
    int rowHeight() const;    ///< 24 px dense, 30 px roomy
    void setDense(bool dense);
    bool isDense() const;

    /// An icon of resources/icons (name without ".svg"), tinted with the ink of the current look.
    QIcon icon(const QString& name) const;

    /// Paints the shape and colour of one gate cell into @p rect; the shape alone tells the state.
    void paintCell(QPainter& painter, const QRectF& rect, contract::StripCell cell) const;

    /// paintCell() as a pixmap, for legends, facets and item decorations.
    QPixmap cellPixmap(contract::StripCell cell, int side, qreal devicePixelRatio) const;

    /// QCustomPlot ignores QPalette: sets background, axes, ticks, labels, grid and legend.
    void style(QCustomPlot& plot) const;

Q_SIGNALS:
    void changed();

private:
    QPalette palette() const;
    Mode m_mode = Mode::Light;
    bool m_dense = true;
    bool m_systemIsDark = false;
    QApplication* m_application = nullptr; ///< once apply() was called
};

} // namespace assay::views

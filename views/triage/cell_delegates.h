// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"
#include "views/triage/cell_pixmaps.h"

#include <QStyledItemDelegate>

#include <cstdint>
#include <optional>

namespace assay::views {

class Theme;

/// Text and numbers, with the room around them that the header has too.
class TextCellDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit TextCellDelegate(const Theme& theme, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const Theme& m_theme;
    QFont m_numberFont; ///< kept: making a font of a family name costs more than drawing with it
};

/// Twelve shapes a row: what each gate said, grouped CMP | EXC | ORD | PRC | RES. Reads KernelTableModel's roles only.
class GateStripDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit GateStripDelegate(const Theme& theme, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

Q_SIGNALS:
    /// A cell of the strip was clicked.
    void gateClicked(std::int64_t kernelId, assay::contract::Gate gate);
    /// The pointer rests on a cell; @p spot is where a tool tip belongs (global), @p area the cell in the viewport.
    void gateHovered(std::int64_t kernelId, assay::contract::Gate gate, int cell, const QPoint& spot, const QRect& area);

private:
    const Theme& m_theme;
    mutable CellPixmaps m_cells;
};

/// The outcome as its shape and a word beside it.
class OutcomeDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit OutcomeDelegate(const Theme& theme, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    mutable CellPixmaps m_cells;
};

/// Bookmark, note, waiver and source, each at its own place so that a column of them can be scanned.
class FlagsDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit FlagsDelegate(const Theme& theme, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const Theme& m_theme;
};

} // namespace assay::views

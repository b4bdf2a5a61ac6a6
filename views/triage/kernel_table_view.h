// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/triage.h"

#include <QHash>
#include <QJsonArray>
#include <QTableView>

#include <utility>
#include <vector>

class QMenu;

namespace assay::views {

class KernelHeader;
class Theme;

/// First and last row, both included.
using RowRange = std::pair<int, int>;

/// The table of the kernel list: whole rows, no cell editing, columns that can be shown, hidden, moved and resized.
class KernelTableView final : public QTableView {
    Q_OBJECT
public:
    explicit KernelTableView(const Theme& theme, QWidget* parent = nullptr);

    void setModel(QAbstractItemModel* model) override;

    /// Selected rows as ascending, disjoint ranges. Never walks rows one by one: everything may be selected.
    std::vector<RowRange> selectedRanges() const;

    /// Columns that are shown, from left to right.
    std::vector<store::TriageColumn> shownColumns() const;

    /// Order, width and visibility of every column.
    QJsonArray columnState() const;
    /// Unknown and missing columns keep what they have.
    void restoreColumns(const QJsonArray& state);
    void resetColumns();

    /// Gives the id the width that the ids on screen need, and the title what the other columns leave. Does nothing once a
    /// person has chosen a width.
    void fitColumns();

    /// One checkable entry a column, and "Reset columns".
    void fillColumnMenu(QMenu& menu);

    /// Where the top of the list is, to come back to after a refresh.
    int topRow() const;
    void scrollToTopRow(int row);

    void keyboardSearch(const QString& search) override;

Q_SIGNALS:
    void columnsChanged();
    /// A header was clicked: sort by this column.
    void sortRequested(int column);
    /// Right click on the header; @p column -1 beside the columns. @p position is in the header's viewport.
    void headerMenuRequested(int column, const QPoint& position, const QPoint& globalPosition);

protected:
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    /// Home and End mean the first and the last kernel: the columns of a row are not places to go to.
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;

private:
    void applyTheme();
    void setColumnShown(int logical, bool shown);
    int idWidth() const;
    int widthOf(store::TriageColumn column) const; ///< 0 where hidden
    const Theme& m_theme;
    KernelHeader* m_header;
    QHash<int, int> m_hiddenWidths; ///< of hidden columns, by model column
    bool m_areWidthsChosen = false; ///< by a person
    bool m_isArranging = false;     ///< widths change, but not by a person
};

} // namespace assay::views

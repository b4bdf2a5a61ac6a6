// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/table_look.h"

#include "views/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QShortcut>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QTableView>

#include <algorithm>

namespace assay::views {

namespace {

constexpr int kPadding = 4; // px on both sides of a cell's text: it begins where the header's does

/// The usual cell with room around its text.
class PaddedDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem panel = option;
        initStyleOption(&panel, index);
        const QStyle& style = *option.widget->style();
        style.drawPrimitive(QStyle::PE_PanelItemViewItem, &panel, painter, option.widget);
        QStyleOptionViewItem inner = option;
        inner.rect.adjust(kPadding, 0, -kPadding, 0);
        if (inner.state & QStyle::State_Selected)
            inner.state &= ~QStyle::State_HasFocus; // the row's colour says where the keyboard is
        QStyledItemDelegate::paint(painter, inner, index);
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(2 * kPadding, 0);
    }
};

void copySelection(const QTableView& table)
{
    QModelIndexList rows = table.selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    QString text;
    for (const QModelIndex& row : rows) {
        QStringList cells;
        for (int column = 0; column < table.model()->columnCount(); ++column) {
            if (!table.isColumnHidden(column))
                cells << row.siblingAtColumn(column).data().toString().replace(QLatin1Char('\n'), QLatin1Char(' '));
        }
        text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    QApplication::clipboard()->setText(text);
}

} // namespace

void giveTableLook(QTableView& table, const Theme& theme)
{
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::ExtendedSelection);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setFrameShape(QFrame::NoFrame);
    table.setItemDelegate(new PaddedDelegate(&table));
    table.setTabKeyNavigation(false);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.verticalHeader()->hide();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.verticalHeader()->setDefaultSectionSize(theme.rowHeight());
    table.verticalHeader()->setMinimumSectionSize(theme.rowHeight());
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto* copy = new QShortcut(QKeySequence::Copy, &table);
    copy->setContext(Qt::WidgetShortcut);
    QObject::connect(copy, &QShortcut::activated, &table, [&table] { copySelection(table); });
    QObject::connect(&theme, &Theme::changed, &table,
                     [&table, &theme] { table.verticalHeader()->setDefaultSectionSize(theme.rowHeight()); });
}

void fitHeight(QTableView& table, int mostRows)
{
    const int rows = std::clamp(table.model()->rowCount(), 1, mostRows);
    table.setFixedHeight(table.horizontalHeader()->sizeHint().height() + rows * table.verticalHeader()->defaultSectionSize() + 2);
}

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/kernel_table_view.h"

#include "views/theme/theme.h"
#include "views/triage/column_catalog.h"
#include "views/triage/kernel_header.h"

#include <QJsonObject>
#include <QMenu>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;
using store::TriageColumn;

namespace {
constexpr int kMeasuredIds = 60; // rows; about what a screen shows
constexpr int kWidestId = 128;
constexpr int kNarrowestTitle = 104;
constexpr int kWidestTitle = 420;
constexpr int kCellPadding = 16;
} // namespace

KernelTableView::KernelTableView(const Theme& theme, QWidget* parent)
    : QTableView(parent)
    , m_theme(theme)
    , m_header(new KernelHeader(theme, this))
{
    setObjectName(u"triage.table"_s);
    setAccessibleName(tr("Kernels"));
    setHorizontalHeader(m_header);
    m_header->setSortIndicatorShown(true); // QTableView turns it off: it does not sort by itself here
    m_header->setContextMenuPolicy(Qt::CustomContextMenu);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setShowGrid(false);
    setAlternatingRowColors(false);
    setWordWrap(false);
    setTabKeyNavigation(false); // Tab leaves the table: J, K and the arrows walk it
    setCornerButtonEnabled(false);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerItem);
    setFrameShape(NoFrame);
    verticalHeader()->setVisible(false);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed); // a million rows are never measured
    connect(&theme, &Theme::changed, this, &KernelTableView::applyTheme);
    connect(m_header, &QHeaderView::sectionClicked, this, &KernelTableView::sortRequested);
    connect(m_header, &QHeaderView::sectionMoved, this, &KernelTableView::columnsChanged);
    connect(m_header, &QHeaderView::sectionResized, this, [this](int, int before, int after) {
        if (m_isArranging)
            return;
        m_areWidthsChosen = m_areWidthsChosen || (before > 0 && after > 0); // else it was shown or hidden
        Q_EMIT columnsChanged();
    });
    connect(m_header, &QWidget::customContextMenuRequested, this, [this](const QPoint& position) {
        Q_EMIT headerMenuRequested(m_header->logicalIndexAt(position), position, m_header->mapToGlobal(position));
    });
    applyTheme();
}

void KernelTableView::setModel(QAbstractItemModel* model)
{
    QTableView::setModel(model);
    resetColumns();
}

void KernelTableView::applyTheme()
{
    verticalHeader()->setMinimumSectionSize(m_theme.rowHeight());
    verticalHeader()->setDefaultSectionSize(m_theme.rowHeight());
    viewport()->update();
    m_header->viewport()->update();
}

std::vector<RowRange> KernelTableView::selectedRanges() const
{
    std::vector<RowRange> ranges;
    if (!selectionModel())
        return ranges;
    for (const QItemSelectionRange& range : selectionModel()->selection())
        ranges.emplace_back(range.top(), range.bottom());
    std::sort(ranges.begin(), ranges.end());
    std::vector<RowRange> merged;
    for (const RowRange& range : ranges) {
        if (!merged.empty() && range.first <= merged.back().second + 1)
            merged.back().second = std::max(merged.back().second, range.second);
        else
            merged.push_back(range);
    }
    return merged;
}

std::vector<store::TriageColumn> KernelTableView::shownColumns() const
{
    std::vector<store::TriageColumn> columns;
    for (int visual = 0; visual < m_header->count(); ++visual) {
        const int logical = m_header->logicalIndex(visual);
        if (!m_header->isSectionHidden(logical))
            columns.push_back(static_cast<store::TriageColumn>(logical));
    }
    return columns;
}

QJsonArray KernelTableView::columnState() const
{
    QJsonArray state;
    for (int visual = 0; visual < m_header->count(); ++visual) {
        const int logical = m_header->logicalIndex(visual);
        const bool hidden = m_header->isSectionHidden(logical);
        // A hidden section has no size of its own.
        const int width = hidden ? m_hiddenWidths.value(logical, columnCatalog()[static_cast<std::size_t>(logical)].width)
                                 : m_header->sectionSize(logical);
        QJsonObject entry{{u"column"_s, QString(columnCatalog()[static_cast<std::size_t>(logical)].key)}, {u"shown"_s, !hidden}};
        if (m_areWidthsChosen)
            entry[u"width"_s] = width; // widths that follow the window are not worth remembering
        state.append(entry);
    }
    return state;
}

void KernelTableView::restoreColumns(const QJsonArray& state)
{
    const QScopedValueRollback arranging(m_isArranging, true);
    int visual = 0;
    m_areWidthsChosen = false;
    for (const QJsonValue& value : state) {
        const QJsonObject entry = value.toObject();
        const auto column = columnFromKey(entry[u"column"_s].toString());
        if (!column)
            continue;
        const int logical = static_cast<int>(*column);
        m_areWidthsChosen = m_areWidthsChosen || entry.contains(u"width"_s);
        const int width = entry[u"width"_s].toInt(columnInfo(*column).width);
        m_header->moveSection(m_header->visualIndex(logical), visual++);
        setColumnShown(logical, true);
        m_header->resizeSection(logical, std::max(width, m_header->minimumSectionSize()));
        setColumnShown(logical, entry[u"shown"_s].toBool(true));
    }
    if (shownColumns().empty())
        setColumnShown(static_cast<int>(store::TriageColumn::Id), true);
    fitColumns();
    Q_EMIT columnsChanged();
}

int KernelTableView::idWidth() const
{
    const QFontMetrics metrics(m_theme.numberFont());
    int widest = 0;
    for (int row = 0; row < std::min(model()->rowCount(), kMeasuredIds); ++row)
        widest = std::max(widest,
                          metrics.horizontalAdvance(model()->index(row, static_cast<int>(TriageColumn::Id)).data().toString()));
    return std::clamp(widest + kCellPadding, columnInfo(TriageColumn::Id).width, kWidestId);
}

int KernelTableView::widthOf(TriageColumn column) const
{
    return m_header->sectionSize(static_cast<int>(column)); // a hidden section is 0 px wide
}

void KernelTableView::fitColumns()
{
    if (m_areWidthsChosen || !model())
        return;
    const QScopedValueRollback arranging(m_isArranging, true);
    if (!m_header->isSectionHidden(static_cast<int>(TriageColumn::Id)))
        m_header->resizeSection(static_cast<int>(TriageColumn::Id), idWidth());
    if (m_header->isSectionHidden(static_cast<int>(TriageColumn::Title)))
        return;
    const int title = columnInfo(TriageColumn::Title).width;
    const int room = viewport()->width();
    const int all = m_header->length() - widthOf(TriageColumn::Title);
    int leading = 0; // what a person looks at first; the columns behind them may need a scroll
    for (const TriageColumn column :
         {TriageColumn::Id, TriageColumn::Outcome, TriageColumn::Gates, TriageColumn::Error, TriageColumn::Relative})
        leading += widthOf(column);
    // Where not all of them fit, none is shown by half.
    const int wanted = room - all >= title ? room - all : room - leading;
    m_header->resizeSection(static_cast<int>(TriageColumn::Title), std::clamp(wanted, kNarrowestTitle, kWidestTitle));
}

void KernelTableView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    fitColumns();
}

void KernelTableView::setColumnShown(int logical, bool shown)
{
    if (shown == !m_header->isSectionHidden(logical))
        return;
    if (!shown)
        m_hiddenWidths[logical] = m_header->sectionSize(logical);
    m_header->setSectionHidden(logical, !shown);
    const QScopedValueRollback arranging(m_isArranging, true);
    if (shown)
        m_header->resizeSection(logical, m_hiddenWidths.value(logical, columnCatalog()[static_cast<std::size_t>(logical)].width));
}

void KernelTableView::resetColumns()
{
    const QScopedValueRollback arranging(m_isArranging, true);
    m_areWidthsChosen = false;
    int visual = 0;
    for (const store::TriageColumn column : defaultColumnOrder()) {
        const ColumnInfo& info = columnInfo(column);
        const int logical = static_cast<int>(column);
        m_header->moveSection(m_header->visualIndex(logical), visual++);
        setColumnShown(logical, true);
        m_header->resizeSection(logical, info.width);
        setColumnShown(logical, info.visible);
    }
    fitColumns();
    Q_EMIT columnsChanged();
}

void KernelTableView::fillColumnMenu(QMenu& menu)
{
    for (const ColumnInfo& info : columnCatalog()) {
        const int logical = static_cast<int>(info.column);
        QAction* action = menu.addAction(QString(info.title));
        action->setObjectName(u"triage.column."_s + info.key);
        action->setCheckable(true);
        action->setChecked(!m_header->isSectionHidden(logical));
        // The last column stays: an empty table cannot be told from an empty list.
        action->setEnabled(m_header->isSectionHidden(logical) || shownColumns().size() > 1);
        connect(action, &QAction::toggled, this, [this, logical](bool shown) {
            setColumnShown(logical, shown);
            fitColumns();
            Q_EMIT columnsChanged();
        });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Reset columns")), &QAction::triggered, this, &KernelTableView::resetColumns);
}

int KernelTableView::topRow() const
{
    return rowAt(0);
}

void KernelTableView::scrollToTopRow(int row)
{
    verticalScrollBar()->setValue(std::clamp(row, 0, verticalScrollBar()->maximum()));
}

QModelIndex KernelTableView::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers)
{
    const int rows = model() ? model()->rowCount() : 0;
    const int column = std::max(currentIndex().column(), 0);
    if (rows > 0 && action == MoveHome)
        return model()->index(0, column);
    if (rows > 0 && action == MoveEnd)
        return model()->index(rows - 1, column);
    return QTableView::moveCursor(action, modifiers);
}

void KernelTableView::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (!currentIndex().isValid())
        return;
    // The current row among the selected ones; strong where the keyboard is.
    const int row = currentIndex().row();
    const QRect mark(0, rowViewportPosition(row), 3, rowHeight(row));
    QPainter painter(viewport());
    painter.fillRect(mark, hasFocus() ? m_theme.accent() : m_theme.mutedInk());
}

void KernelTableView::focusInEvent(QFocusEvent* event)
{
    // QAbstractItemView would make the first row the current one: coming here must not choose a kernel.
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

// Letters are keys of the window (J, K, M ...), and searching a million rows by prefix would block.
void KernelTableView::keyboardSearch(const QString&) { }

} // namespace assay::views

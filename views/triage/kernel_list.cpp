// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/kernel_list.h"

#include "core/store/kernel_details.h"
#include "views/state/context.h"
#include "views/state/filter_stack.h"
#include "views/state/messages.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"
#include "views/triage/cell_delegates.h"
#include "views/triage/column_catalog.h"
#include "views/triage/failing_rows.h"
#include "views/triage/gate_tips.h"
#include "views/triage/list_empty_state.h"
#include "views/triage/triage_words.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <unordered_set>

namespace assay::views {

using namespace Qt::StringLiterals;
using store::TriageColumn;

namespace {

// A refresh gives back this many selected rows one by one; above it only "everything" is worth remembering.
constexpr int kMostRemembered = 10'000;
// Copied at once where they are in memory; more go through a job.
constexpr int kCopyAtOnce = 200;

QString authorName()
{
    return qEnvironmentVariable("USER", u"unknown"_s);
}

/// Rows of @p ids that are in @p wanted, as one selection of whole rows.
QItemSelection rowsOf(const KernelTableModel& model, const std::unordered_set<std::int64_t>& wanted)
{
    QItemSelection selection;
    const KernelIds ids = model.ids();
    const int rows = static_cast<int>(ids->size());
    for (int row = 0; row < rows; ++row) {
        if (!wanted.contains((*ids)[static_cast<std::size_t>(row)]))
            continue;
        const int first = row;
        while (row + 1 < rows && wanted.contains((*ids)[static_cast<std::size_t>(row + 1)]))
            ++row;
        selection.select(model.index(first, 0), model.index(row, kColumnCount - 1));
    }
    return selection;
}

} // namespace

KernelList::KernelList(Context& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_model(new KernelTableModel(context.workspace, context.filters, context.theme, this))
    , m_table(new KernelTableView(context.theme, this))
    , m_empty(new ListEmptyState(m_table->viewport()))
    , m_notice(new QWidget(this))
    , m_noticeText(new QLabel(m_notice))
    , m_failing(new FailingRows(context.workspace, context.filters, this))
    , m_tips(new GateTips(context.workspace, this))
    , m_copier(new RowCopier(context.workspace, context.jobs, context.messages, this))
{
    auto* show = new QPushButton(tr("Clear filter"), m_notice);
    show->setProperty("look", u"quiet"_s);
    connect(show, &QPushButton::clicked, context.filters.clearAction(), &QAction::trigger);
    m_notice->setObjectName(u"triage.notice"_s);
    m_notice->setProperty("look", u"panel"_s);
    m_notice->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(m_notice);
    row->setContentsMargins(12, 2, 8, 2);
    row->addWidget(m_noticeText, 1);
    row->addWidget(show);
    m_notice->hide();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_notice);
    layout->addWidget(m_table, 1);
    setFocusProxy(m_table);

    buildTable();
    connectModel();
    connectSelection();
    updateEmptyState();
}

KernelList::~KernelList() = default;

void KernelList::buildTable()
{
    m_table->setModel(m_model);
    m_table->viewport()->installEventFilter(this);
    m_table->setItemDelegate(new TextCellDelegate(m_context.theme, this));
    auto* strip = new GateStripDelegate(m_context.theme, this);
    m_table->setItemDelegateForColumn(static_cast<int>(TriageColumn::Gates), strip);
    m_table->setItemDelegateForColumn(static_cast<int>(TriageColumn::Outcome), new OutcomeDelegate(m_context.theme, this));
    m_table->setItemDelegateForColumn(static_cast<int>(TriageColumn::Flags), new FlagsDelegate(m_context.theme, this));
    connect(strip, &GateStripDelegate::gateClicked, this, &KernelList::onGateClicked);
    connect(strip, &GateStripDelegate::gateHovered, this,
            [this](std::int64_t kernelId, contract::Gate gate, int cell, const QPoint& spot, const QRect& area) {
                m_tips->show(m_table->viewport(), area, spot, kernelId, gate, static_cast<contract::StripCell>(cell));
            });
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint& position) {
        Q_EMIT rowMenuRequested(m_table->indexAt(position), m_table->viewport()->mapToGlobal(position));
    });
    connect(m_table, &QAbstractItemView::doubleClicked, this, &KernelList::drillRequested);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &KernelList::onCurrentRow);
    connect(&m_context.theme, &Theme::changed, m_table->viewport(), QOverload<>::of(&QWidget::update));
}

void KernelList::connectModel()
{
    connect(m_model, &QAbstractItemModel::modelAboutToBeReset, this, &KernelList::takeSnapshot);
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] { m_wasReset = true; });
    connect(m_model, &KernelTableModel::restarted, this, &KernelList::onRestarted);
    connect(m_model, &KernelTableModel::completed, this, &KernelList::onCompleted);
    connect(m_model, &KernelTableModel::loadingChanged, this, [this] {
        if (!m_model->isLoading())
            follow(false); // only now is it certain that the filter hides the kernel
        updateEmptyState();
        Q_EMIT stateChanged();
    });
    const auto report = [this](const QString& message) {
        // The same trouble comes again with every page; a person reads it once.
        if (message != m_failure)
            m_context.messages.post(Messages::Level::Error, message);
        m_failure = message;
    };
    connect(m_model, &KernelTableModel::failed, this, report);
    connect(m_failing, &FailingRows::failed, this, report);

    connect(&m_context.filters, &FilterStack::filterChanged, m_model, &KernelTableModel::reload);
    connect(&m_context.filters, &FilterStack::sortChanged, m_model, &KernelTableModel::reload);
    connect(&m_context.workspace, &Workspace::scopeChanged, this, [this] {
        m_scrollToKernel = true;
        m_tips->clear();
        m_model->reload();
    });
    connect(&m_context.workspace, &Workspace::contentChanged, this, [this] {
        m_failing->clear();
        m_tips->clear();
        m_model->refresh();
    });
    connect(&m_context.workspace, &Workspace::closed, m_model, &KernelTableModel::reload);
}

void KernelList::connectSelection()
{
    connect(&m_context.selection, &Selection::kernelChanged, this, [this] { follow(true); });
    const auto mark = [this] { m_model->setMarkedGate(m_context.selection.kernelId(), m_context.selection.gate()); };
    connect(&m_context.selection, &Selection::spotChanged, this, mark);
    mark();
}

void KernelList::takeSnapshot()
{
    m_snapshot = {};
    m_snapshot.topRow = std::max(m_table->topRow(), 0);
    m_snapshot.top = m_model->kernelAt(m_snapshot.topRow);
    for (const RowRange& range : m_table->selectedRanges()) {
        m_snapshot.all = m_model->rowCount() > 1 && range.first == 0 && range.second == m_model->rowCount() - 1;
        for (int row = range.first; row <= range.second && m_snapshot.selected.size() < kMostRemembered; ++row)
            m_snapshot.selected.push_back(m_model->kernelAt(row));
    }
}

void KernelList::restoreSnapshot()
{
    if (m_snapshot.all) {
        m_table->selectAll();
    } else if (m_snapshot.selected.size() > 1) {
        const std::unordered_set<std::int64_t> wanted(m_snapshot.selected.begin(), m_snapshot.selected.end());
        m_table->selectionModel()->select(rowsOf(*m_model, wanted), QItemSelectionModel::ClearAndSelect);
    }
    const int row = m_model->rowOf(m_snapshot.top);
    m_table->scrollToTopRow(row >= 0 ? row : m_snapshot.topRow);
}

void KernelList::onRestarted()
{
    m_wasReset = false;
    m_failure.clear();
    m_table->fitColumns(); // other rows, other ids
    m_table->scrollToTop();
    if (m_selectFirst && m_model->rowCount() > 0) {
        m_selectFirst = false;
        m_context.selection.setKernel(m_model->kernelAt(0));
    }
    follow(false);
    updateEmptyState();
    Q_EMIT stateChanged();
}

void KernelList::onCompleted()
{
    const bool refreshed = std::exchange(m_wasReset, false);
    follow(m_scrollToKernel);
    m_scrollToKernel = false;
    if (refreshed)
        restoreSnapshot();
    updateEmptyState();
    Q_EMIT stateChanged();
}

void KernelList::onCurrentRow(const QModelIndex& current)
{
    if (!m_following && current.isValid() && m_model->kernelAt(current.row()) != 0)
        m_context.selection.setKernel(m_model->kernelAt(current.row()));
}

void KernelList::follow(bool scroll)
{
    const std::int64_t kernelId = m_context.selection.kernelId();
    const int row = kernelId == 0 ? -1 : m_model->rowOf(kernelId);
    // A link brings kernel and filter together: the kernel's place is known when the new rows are there.
    m_scrollToKernel = m_scrollToKernel || (scroll && m_model->isLoading());
    showNotice(kernelId != 0 && row < 0 && m_model->isComplete() && !m_model->isLoading() && m_context.workspace.scopeId() != 0);
    if (row < 0) {
        // Rows that were chosen are not the kernel that the evidence shows.
        if (kernelId != 0 && m_model->isComplete() && m_table->currentIndex().isValid()) {
            m_following = true;
            m_table->selectionModel()->clear();
            m_following = false;
        }
        return;
    }
    if (m_table->currentIndex().row() != row)
        setCurrentRow(row);
    if (scroll)
        scrollTo(row);
}

void KernelList::scrollTo(int row)
{
    // The next row only just comes into view; a jump shows what is around its goal.
    const int y = m_table->rowViewportPosition(row);
    const int height = m_table->rowHeight(row);
    const bool near = y >= -height && y <= m_table->viewport()->height();
    const QModelIndex index = m_model->index(row, std::max(m_table->currentIndex().column(), 0));
    const int left = m_table->horizontalScrollBar()->value();
    m_table->scrollTo(index, near ? QAbstractItemView::EnsureVisible : QAbstractItemView::PositionAtCenter);
    m_table->horizontalScrollBar()->setValue(left); // a kernel is a row: going to one never moves the columns
}

void KernelList::setCurrentRow(int row)
{
    // Without auto-scroll: a new order shows its top, not wherever the current kernel went.
    m_following = true;
    m_table->setAutoScroll(false);
    const int column = std::max(m_table->currentIndex().column(), 0);
    m_table->selectionModel()->setCurrentIndex(m_model->index(row, column),
                                               QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_table->setAutoScroll(true);
    m_following = false;
}

void KernelList::showNotice(bool shown)
{
    m_notice->setVisible(shown);
    m_noticeText->setText(m_context.filters.filter().isEmpty()
                              ? tr("The selected kernel is not part of this audit.")
                              : tr("The selected kernel is not in this filter; the evidence shows it all the same."));
}

void KernelList::updateEmptyState()
{
    m_empty->setGeometry(m_table->viewport()->rect());
    if (m_model->rowCount() > 0 || m_model->isLoading()) {
        m_empty->hide();
        return;
    }
    if (!m_context.workspace.isOpen())
        m_empty->show(tr("No database is open"), tr("Open one, or import a corpus to start one."));
    else if (m_context.workspace.scopeId() == 0)
        m_empty->show(tr("Nothing is imported yet"), tr("Import a corpus or an audit: its kernels are listed here."));
    else if (!m_context.filters.filter().isEmpty())
        m_empty->show(tr("No kernel matches this filter"), tr("Take a term out, or start from all kernels again."),
                      m_context.filters.clearAction());
    else
        m_empty->show(tr("This audit holds no kernels"), tr("Choose another one in the title bar."));
}

bool KernelList::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Resize)
        m_empty->setGeometry(m_table->viewport()->rect());
    return QWidget::eventFilter(watched, event);
}

void KernelList::onGateClicked(std::int64_t kernelId, contract::Gate gate)
{
    Selection::Spot spot = m_context.selection.spot();
    spot.kernelId = kernelId;
    spot.gate = gate;
    m_context.selection.go(spot);
}

void KernelList::step(bool forward)
{
    if (m_model->rowCount() == 0)
        return;
    const int current = m_table->currentIndex().row();
    const int row = current < 0 ? 0 : std::clamp(current + (forward ? 1 : -1), 0, m_model->rowCount() - 1);
    m_context.selection.setKernel(m_model->kernelAt(row));
}

void KernelList::stepFailing(bool forward)
{
    const int current = m_table->currentIndex().isValid() ? m_table->currentIndex().row() : forward ? -1 : m_model->rowCount();
    m_failing->find(m_model->ids(), current, forward, [this, ids = m_model->ids(), forward](int row) {
        if (row >= 0)
            m_context.selection.setKernel((*ids)[static_cast<std::size_t>(row)]);
        else
            m_context.messages.post(Messages::Level::Info,
                                    forward ? tr("No failing kernel further down this list.")
                                            : tr("No failing kernel further up this list."));
    });
}

void KernelList::selectFirstWhenLoaded()
{
    m_selectFirst = m_model->isLoading();
    if (!m_selectFirst && m_model->rowCount() > 0) {
        m_table->scrollToTop();
        m_context.selection.setKernel(m_model->kernelAt(0));
    }
}

void KernelList::toggleBookmark()
{
    const std::int64_t kernelId = m_context.selection.kernelId();
    if (kernelId == 0)
        return;
    m_context.workspace.write(
        [kernelId, scopeId = m_context.workspace.scopeId(), author = authorName().toStdString()](store::Database& database) {
            const auto rows = store::triageRows(database, scopeId, std::span(&kernelId, 1));
            store::setBookmark(database, kernelId, rows.empty() || !rows.front().bookmarked, author);
        },
        this,
        [this](const QString& failure) {
            if (!failure.isEmpty())
                m_context.messages.post(Messages::Level::Error, failure);
        });
}

void KernelList::copySelection(RowFormat format, bool withHeader)
{
    RowRequest request = everything(format);
    request.withHeader = withHeader;
    const std::vector<RowRange> selected = m_table->selectedRanges();
    if (!selected.empty())
        request.ranges = selected;
    if (request.rows() == 0)
        return;
    std::vector<store::TriageRow> loaded;
    for (const RowRange& range : request.ranges) {
        for (int row = range.first; row <= range.second && request.rows() <= kCopyAtOnce; ++row) {
            if (const store::TriageRow* content = m_model->rowAt(row))
                loaded.push_back(*content);
        }
    }
    if (static_cast<std::int64_t>(loaded.size()) == request.rows())
        m_copier->copyNow(loaded, request);
    else
        m_copier->copy(request);
}

RowRequest KernelList::everything(RowFormat format) const
{
    RowRequest request;
    request.ids = m_model->ids();
    request.columns = m_table->shownColumns();
    request.format = format;
    request.withHeader = true;
    if (m_model->rowCount() > 0)
        request.ranges = {{0, m_model->rowCount() - 1}};
    return request;
}

void KernelList::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (!m_table->currentIndex().isValid())
            step(true);
        if (m_context.selection.kernelId() != 0)
            Q_EMIT drillRequested();
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        Q_EMIT outRequested();
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/kernel_table_model.h"

#include "views/state/filter_stack.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"
#include "views/triage/column_catalog.h"
#include "views/triage/triage_words.h"

#include <QTimer>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

namespace assay::views {

using namespace Qt::StringLiterals;
using store::TriageColumn;
using store::TriageRow;
using tensor::Measured;

namespace {

constexpr std::size_t kPageSize = 200;
constexpr std::size_t kMaxPages = 64;      // 12,800 rows, some ten megabytes
constexpr std::size_t kMaxPagesAFetch = 4; // a screen shows at most two; the rest was scrolled past
constexpr std::size_t kVisiblePages = 2;

QVariant measuredValue(const Measured& value)
{
    return value.isPresent() ? QVariant(tensor::toDouble(value)) : QVariant();
}

template <typename T> QVariant optionalValue(const std::optional<T>& value)
{
    return value ? QVariant(*value) : QVariant();
}

/// Puts the kernels that wait to be judged below those that are. @return how many
std::int64_t addWaiting(std::vector<std::int64_t>& ids, const WaitingKernels& waiting)
{
    if (!waiting)
        return 0;
    const std::size_t judged = ids.size();
    const std::unordered_set<std::int64_t> known(ids.begin(), ids.end());
    std::ranges::copy_if(*waiting, std::back_inserter(ids), [&known](std::int64_t id) { return !known.contains(id); });
    return static_cast<std::int64_t>(ids.size() - judged);
}

/// A kernel that waits has no row in the audit yet: what is known of it without one.
void fillWaiting(store::Database& database, std::span<const std::int64_t> ids, std::vector<std::optional<TriageRow>>& rows)
{
    std::vector<std::int64_t> missing;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!rows[i])
            missing.push_back(ids[i]);
    }
    for (TriageRow& row : store::unjudgedRows(database, missing)) {
        const auto place = static_cast<std::size_t>(std::ranges::find(ids, row.kernelId) - ids.begin());
        rows[place] = std::move(row);
    }
}

int flagsOf(const TriageRow& row)
{
    return (row.bookmarked ? KernelTableModel::Bookmarked : 0) | (row.hasNote ? KernelTableModel::Noted : 0)
        | (row.waived ? KernelTableModel::Waived : 0) | (row.hasSource ? KernelTableModel::Sourced : 0);
}

QString flagWords(const TriageRow& row)
{
    QStringList flags;
    if (row.bookmarked)
        flags << u"bookmarked"_s;
    if (row.hasNote)
        flags << u"note"_s;
    if (row.waived)
        flags << u"waived"_s;
    if (row.hasSource)
        flags << u"source"_s;
    return flags.join(u", "_s);
}

QString exercisedText(const TriageRow& row)
{
    if (!row.exercised)
        return {};
    const QString ran = QString::number(*row.exercised);
    return row.total ? ran + u'/' + QString::number(*row.total) : ran;
}

/// What a column means, where its title leaves a question open.
QString columnTip(const ColumnInfo& info)
{
    const QString title(info.title);
    if (info.column == TriageColumn::Error)
        return title
            + u": the worst of the checks that fail. NaN counts above Inf, and Inf above every number; equal ones are in the order of ids. "_s
              u"A kernel that shows Inf may have a finite error at another gate: the evidence lists every gate."_s;
    if (info.column == TriageColumn::Relative)
        return title + u": 1e-3 is a thousandth of the largest value of the reference. The worst of the checks that fail."_s;
    return title;
}

} // namespace

KernelTableModel::KernelTableModel(Workspace& workspace, FilterStack& filters, const Theme& theme, QObject* parent)
    : QAbstractTableModel(parent)
    , m_workspace(workspace)
    , m_filters(filters)
    , m_theme(theme)
    , m_listChannel(new QueryChannel(workspace, this))
    , m_pageChannel(new QueryChannel(workspace, this))
    , m_fetchTimer(new QTimer(this))
    , m_ids(std::make_shared<std::vector<std::int64_t>>())
    , m_cache(kPageSize, kMaxPages)
{
    m_fetchTimer->setSingleShot(true);
    m_fetchTimer->setInterval(0);
    connect(m_fetchTimer, &QTimer::timeout, this, &KernelTableModel::fetchWanted);
    connect(&workspace.judging(), &Judging::stripChanged, this, &KernelTableModel::takeStrip);
    connect(&workspace.judging(), &Judging::changed, this, [this] {
        if (m_workspace.isShowingCampaign() || m_hasWaiting)
            refresh();
    });
    connect(m_listChannel, &QueryChannel::runningChanged, this, &KernelTableModel::loadingChanged);
    connect(m_listChannel, &QueryChannel::failed, this, &KernelTableModel::failed);
    connect(m_pageChannel, &QueryChannel::failed, this, [this](const QString& message) {
        m_fetching.clear();
        Q_EMIT failed(message);
    });
}

KernelTableModel::~KernelTableModel() = default;

int KernelTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_ids->size());
}

int KernelTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumnCount;
}

QVariant KernelTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    if (role == IdRole)
        return QVariant::fromValue<qlonglong>(kernelAt(index.row()));
    const auto column = static_cast<TriageColumn>(index.column());
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue<int>((columnInfo(column).number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::FontRole)
        return columnInfo(column).number ? QVariant(m_theme.numberFont()) : QVariant();
    if (role == MarkedGateRole)
        return m_markedGate && kernelAt(index.row()) == m_markedKernel ? contract::indexOf(*m_markedGate) : -1;

    const auto position = static_cast<std::size_t>(index.row());
    const TriageRow* row = m_cache.find(position);
    if (m_cache.isWanted(m_cache.pageOf(position)))
        want(m_cache.pageOf(position));
    if (role == LoadedRole)
        return row != nullptr;
    if (!row)
        return role == Qt::DisplayRole && column == TriageColumn::Id ? QVariant(QString(QChar(0x2026))) : QVariant();
    if (const auto strip = m_strips.find(row->kernelId); strip != m_strips.end()) {
        if (const QVariant said = underWay(strip->second, role, column); said.isValid())
            return said;
    } else if (m_hasWaiting && row->verdictId == 0 && column == TriageColumn::Outcome && role == Qt::DisplayRole) {
        return tr("waits");
    }
    switch (role) {
    case Qt::DisplayRole:
        return display(*row, column);
    case Qt::ToolTipRole:
        return words::rowSentence(*row);
    case Qt::AccessibleTextRole:
        return column == TriageColumn::Gates ? QVariant(QString(u"fails: "_s + words::failingGates(row->strip)))
                                             : display(*row, column);
    case SortRole:
        return sortValue(*row, column);
    case StripRole:
        return QVariant::fromValue<qlonglong>(row->strip.packed());
    case SeverityRole:
        return static_cast<int>(words::cellFromName(row->outcome));
    case FlagsRole:
        return flagsOf(*row);
    default:
        return {};
    }
}

void KernelTableModel::takeStrip(std::int64_t kernelId)
{
    if (!m_workspace.isShowingCampaign())
        return;
    // One whose verdict has just been stored keeps its cells until its row is read again: no row blinks.
    if (const auto strip = m_workspace.judging().strip(kernelId))
        m_strips[kernelId] = *strip;
    emitRowChanged(rowOf(kernelId), {});
}

void KernelTableModel::syncStrips()
{
    if (m_workspace.isShowingCampaign())
        m_strips = m_workspace.judging().strips();
    else
        m_strips.clear();
}

QVariant KernelTableModel::underWay(contract::GateStrip strip, int role, TriageColumn column)
{
    switch (role) {
    case StripRole:
        return QVariant::fromValue<qlonglong>(strip.packed());
    case SeverityRole:
        return static_cast<int>(contract::StripCell::Running);
    case Qt::ToolTipRole:
        return tr("Is being judged: %1.").arg(progressText(strip));
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        if (column == TriageColumn::Outcome)
            return tr("judging");
        if (column == TriageColumn::Gates)
            return progressText(strip);
        return {};
    default:
        return {};
    }
}

WaitingKernels KernelTableModel::waitingHere() const
{
    const Judging& judging = m_workspace.judging();
    const QString filter = m_filters.text();
    return m_workspace.isShowingCampaign() && (filter.isEmpty() || filter == judging.filter()) ? judging.waiting() : nullptr;
}

QVariant KernelTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount)
        return {};
    const ColumnInfo& info = columnCatalog()[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        return QString(info.header);
    case Qt::ToolTipRole:
        return columnTip(info);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue<int>((info.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
        return {};
    }
}

void KernelTableModel::sort(int column, Qt::SortOrder order)
{
    if (column >= 0 && column < kColumnCount)
        m_filters.setSort({static_cast<TriageColumn>(column), order == Qt::DescendingOrder});
}

QVariant KernelTableModel::display(const TriageRow& row, TriageColumn column) const
{
    switch (column) {
    case TriageColumn::Id:
        return words::fromUtf8(row.externalId);
    case TriageColumn::Title:
        return words::fromUtf8(row.title);
    case TriageColumn::Family:
        return words::fromUtf8(row.family);
    case TriageColumn::Language:
        return words::fromUtf8(row.language);
    case TriageColumn::Outcome:
        return words::outcomeWord(row.outcome);
    case TriageColumn::Status:
        return words::fromUtf8(row.status);
    case TriageColumn::Claim:
        return words::fromUtf8(row.claim);
    case TriageColumn::Baseline:
        return row.baseline == "none" ? QString() : words::fromUtf8(row.baseline);
    case TriageColumn::Gates:
        return words::failingGates(row.strip);
    case TriageColumn::Reason:
        return QString(words::fromUtf8(row.leadGate) + u' ' + words::reasonWords(row.leadReason)).trimmed();
    case TriageColumn::HardFailures:
        return row.hardFailures == 0 ? QString() : QString::number(row.hardFailures);
    case TriageColumn::SoftFailures:
        return row.softFailures == 0 ? QString() : QString::number(row.softFailures);
    case TriageColumn::Exercised:
        return exercisedText(row);
    case TriageColumn::Error:
        return words::errorText(row.error);
    case TriageColumn::Relative:
        return words::errorText(row.relative);
    case TriageColumn::Speedup:
        return words::speedupText(row.speedup);
    case TriageColumn::Elapsed:
        return words::secondsText(row.elapsedSeconds);
    case TriageColumn::Flags:
        return flagWords(row);
    }
    return {};
}

QVariant KernelTableModel::sortValue(const TriageRow& row, TriageColumn column)
{
    switch (column) {
    case TriageColumn::Id:
        return words::fromUtf8(row.externalId);
    case TriageColumn::Title:
        return words::fromUtf8(row.title);
    case TriageColumn::Family:
        return words::fromUtf8(row.family);
    case TriageColumn::Language:
        return words::fromUtf8(row.language);
    case TriageColumn::Outcome:
        return words::fromUtf8(row.outcome);
    case TriageColumn::Status:
        return words::fromUtf8(row.status);
    case TriageColumn::Claim:
        return words::fromUtf8(row.claim);
    case TriageColumn::Baseline:
        return words::fromUtf8(row.baseline);
    case TriageColumn::Gates:
        return QVariant::fromValue<qlonglong>(row.strip.packed());
    case TriageColumn::Reason:
        return words::fromUtf8(row.leadReason);
    case TriageColumn::HardFailures:
        return row.hardFailures;
    case TriageColumn::SoftFailures:
        return row.softFailures;
    case TriageColumn::Exercised:
        return optionalValue(row.exercised);
    case TriageColumn::Error:
        return measuredValue(row.error);
    case TriageColumn::Relative:
        return measuredValue(row.relative);
    case TriageColumn::Speedup:
        return optionalValue(row.speedup);
    case TriageColumn::Elapsed:
        return optionalValue(row.elapsedSeconds);
    case TriageColumn::Flags:
        return flagsOf(row);
    }
    return {};
}

void KernelTableModel::reload()
{
    m_refreshing = false;
    const std::int64_t scopeId = m_workspace.scopeId();
    if (scopeId == 0) {
        m_listChannel->cancel();
        showFirstPage({std::make_shared<std::vector<std::int64_t>>(), {}, true, 0});
        return;
    }
    m_hasWaiting = waitingHere() != nullptr;
    m_listChannel->start<Answer>(
        [scopeId, filter = m_filters.filter(), sort = m_filters.sort(), waiting = waitingHere()](store::Database& database,
                                                                                                 std::stop_token) {
            auto ids = std::make_shared<std::vector<std::int64_t>>(
                store::triageIds(database, scopeId, filter, sort, static_cast<std::int64_t>(kPageSize)));
            const bool whole = ids->size() < kPageSize;
            const std::int64_t added = whole ? addWaiting(*ids, waiting) : 0;
            std::vector<Page> pages = readPages(database, scopeId, *ids, {0}, waiting != nullptr);
            return Answer{std::move(ids), std::move(pages), whole, added};
        },
        [this](Answer answer) {
            const bool whole = answer.whole;
            showFirstPage(std::move(answer));
            if (!whole)
                fetchAll(true);
        },
        QueryChannel::Urgency::First);
}

void KernelTableModel::refresh()
{
    if (m_workspace.scopeId() == 0 || !m_complete || (m_listChannel->isRunning() && !m_refreshing)) {
        reload();
        return;
    }
    m_refreshing = true;
    fetchAll(false);
}

void KernelTableModel::fetchAll(bool afterFirstPage)
{
    const std::int64_t scopeId = m_workspace.scopeId();
    // The pages on screen come with the new ids, so that a refresh never shows placeholders where rows were.
    std::vector<std::size_t> pages = afterFirstPage ? std::vector<std::size_t>{} : m_cache.recentPages(kVisiblePages);
    m_hasWaiting = waitingHere() != nullptr;
    m_listChannel->start<Answer>(
        [scopeId, filter = m_filters.filter(), sort = m_filters.sort(), pages = std::move(pages),
         waiting = waitingHere()](store::Database& database, std::stop_token) {
            auto ids = std::make_shared<std::vector<std::int64_t>>(store::triageIds(database, scopeId, filter, sort));
            const std::int64_t added = addWaiting(*ids, waiting);
            std::vector<Page> rows = readPages(database, scopeId, *ids, pages, waiting != nullptr);
            return Answer{std::move(ids), std::move(rows), true, added};
        },
        [this](Answer answer) { showAll(std::move(answer)); });
}

std::vector<KernelTableModel::Page> KernelTableModel::readPages(store::Database& database, std::int64_t scopeId,
                                                                const std::vector<std::int64_t>& ids,
                                                                const std::vector<std::size_t>& numbers, bool withWaiting)
{
    std::vector<Page> pages;
    for (const std::size_t number : numbers) {
        const std::size_t begin = number * kPageSize;
        if (begin >= ids.size())
            continue;
        const std::span<const std::int64_t> wanted(ids.data() + begin, std::min(kPageSize, ids.size() - begin));
        // A row that is gone is skipped by the query; the others keep their places.
        std::unordered_map<std::int64_t, std::size_t> places;
        for (std::size_t i = 0; i < wanted.size(); ++i)
            places.emplace(wanted[i], i);
        Page page{number, std::vector<std::optional<TriageRow>>(wanted.size())};
        for (TriageRow& row : store::triageRows(database, scopeId, wanted)) {
            if (const auto place = places.find(row.kernelId); place != places.end())
                page.rows[place->second] = std::move(row);
        }
        if (withWaiting)
            fillWaiting(database, wanted, page.rows);
        pages.push_back(std::move(page));
    }
    return pages;
}

void KernelTableModel::showFirstPage(Answer answer)
{
    syncStrips();
    m_waitingRows = answer.waiting;
    beginResetModel();
    m_ids = std::move(answer.ids);
    m_complete = answer.whole;
    m_cache.clear();
    m_wanted.clear();
    m_fetching.clear();
    m_pageChannel->cancel();
    for (Page& page : answer.pages)
        m_cache.insert(page.number, std::move(page.rows));
    endResetModel();
    Q_EMIT restarted();
    if (m_complete)
        Q_EMIT completed();
}

void KernelTableModel::showAll(Answer answer)
{
    m_refreshing = false;
    m_waitingRows = answer.waiting;
    syncStrips();
    const bool wasComplete = m_complete;
    m_complete = true;
    if (*m_ids == *answer.ids) {
        m_cache.markStale();
        m_fetching.clear();
        m_pageChannel->cancel(); // its rows would be older than this answer
        adopt(std::move(answer.pages));
        if (rowCount() > 0)
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1));
    } else if (!wasComplete && answer.ids->size() > m_ids->size()
               && std::equal(m_ids->begin(), m_ids->end(), answer.ids->begin())) {
        beginInsertRows({}, rowCount(), static_cast<int>(answer.ids->size()) - 1);
        m_ids = std::move(answer.ids);
        endInsertRows();
    } else {
        beginResetModel();
        m_ids = std::move(answer.ids);
        m_cache.clear();
        m_fetching.clear();
        m_pageChannel->cancel();
        adopt(std::move(answer.pages));
        endResetModel();
    }
    Q_EMIT completed();
}

void KernelTableModel::adopt(std::vector<Page> pages)
{
    for (Page& page : pages)
        m_cache.insert(page.number, std::move(page.rows));
}

void KernelTableModel::want(std::size_t page) const
{
    if (m_fetching.contains(page))
        return;
    std::erase(m_wanted, page);
    m_wanted.push_back(page);
    if (!m_fetchTimer->isActive())
        m_fetchTimer->start();
}

void KernelTableModel::fetchWanted()
{
    // Starting anew cancels what is under way; pages that are still on their way and may still be on screen are asked for again.
    std::vector<std::size_t> numbers(m_fetching.begin(), m_fetching.end());
    numbers.insert(numbers.end(), m_wanted.begin(), m_wanted.end());
    if (m_wanted.empty())
        return;
    m_wanted.clear();
    if (numbers.size() > kMaxPagesAFetch)
        numbers.erase(numbers.begin(), numbers.end() - static_cast<std::ptrdiff_t>(kMaxPagesAFetch));
    if (numbers.empty() || m_workspace.scopeId() == 0)
        return;
    m_fetching = {numbers.begin(), numbers.end()};
    m_pageChannel->start<std::vector<Page>>(
        [scopeId = m_workspace.scopeId(), ids = m_ids, numbers, withWaiting = m_hasWaiting](
            store::Database& database, std::stop_token) { return readPages(database, scopeId, *ids, numbers, withWaiting); },
        [this](std::vector<Page> pages) {
            m_fetching.clear();
            for (Page& page : pages) {
                const auto first = static_cast<int>(page.number * kPageSize);
                const int last = first + static_cast<int>(page.rows.size()) - 1;
                m_cache.insert(page.number, std::move(page.rows));
                if (last < rowCount())
                    Q_EMIT dataChanged(index(first, 0), index(last, kColumnCount - 1));
            }
        });
}

std::int64_t KernelTableModel::kernelAt(int row) const
{
    return row >= 0 && row < rowCount() ? (*m_ids)[static_cast<std::size_t>(row)] : 0;
}

int KernelTableModel::rowOf(std::int64_t kernelId) const
{
    const auto found = std::find(m_ids->begin(), m_ids->end(), kernelId);
    return found == m_ids->end() ? -1 : static_cast<int>(found - m_ids->begin());
}

const TriageRow* KernelTableModel::rowAt(int row) const
{
    return row >= 0 && row < rowCount() ? m_cache.find(static_cast<std::size_t>(row)) : nullptr;
}

KernelIds KernelTableModel::ids() const
{
    return m_ids;
}

bool KernelTableModel::isLoading() const
{
    return m_listChannel->isRunning();
}

bool KernelTableModel::isComplete() const
{
    return m_complete;
}

void KernelTableModel::setMarkedGate(std::int64_t kernelId, std::optional<contract::Gate> gate)
{
    const int before = rowOf(m_markedKernel);
    m_markedKernel = kernelId;
    m_markedGate = gate;
    emitRowChanged(before, {MarkedGateRole});
    emitRowChanged(rowOf(kernelId), {MarkedGateRole});
}

void KernelTableModel::emitRowChanged(int row, const QList<int>& roles)
{
    if (row >= 0)
        Q_EMIT dataChanged(index(row, 0), index(row, kColumnCount - 1), roles);
}

} // namespace assay::views

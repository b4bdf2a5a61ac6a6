// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/facet_model.h"

#include "views/state/filter_stack.h"
#include "views/state/query_channel.h"
#include "views/state/workspace.h"
#include "views/triage/triage_words.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kValuesAtFirst = 8; // of a long group; two more than that are simply shown
constexpr quintptr kGroupLevel = 0;

/// Position of an outcome in the panel: what a person looks for first comes first.
int outcomeRank(const QString& outcome)
{
    static const QStringList order
        = {u"fail_hard"_s,    u"fail_soft"_s,   u"crash"_s,         u"timeout"_s, u"pass"_s,  u"pass_with_note"_s,
           u"inapplicable"_s, u"unsupported"_s, u"not_exercised"_s, u"unknown"_s, u"error"_s, u"not_judged"_s};
    const auto at = order.indexOf(outcome);
    return static_cast<int>(at < 0 ? order.size() : at);
}

QString valueTitle(const QString& field, const QString& value)
{
    if (value.isEmpty())
        return u"(none)"_s;
    if (field == u"outcome"_s)
        return words::outcomeWord(value.toStdString());
    if (field == u"reason"_s)
        return words::reasonWords(value.toStdString());
    return value;
}

} // namespace

std::vector<int> FacetModel::rowsOf(std::size_t values, bool showsAll)
{
    const bool isLong = values > kValuesAtFirst + 2;
    std::vector<int> rows(isLong && !showsAll ? kValuesAtFirst : values);
    std::iota(rows.begin(), rows.end(), 0);
    if (isLong)
        rows.push_back(kMore);
    return rows;
}

FacetModel::FacetModel(Workspace& workspace, FilterStack& filters, QObject* parent)
    : QAbstractItemModel(parent)
    , m_workspace(workspace)
    , m_filters(filters)
    , m_channel(new QueryChannel(workspace, this))
{
    for (const auto& [field, title] :
         {std::pair{u"outcome"_s, tr("Outcome")}, std::pair{u"family"_s, tr("Family")}, std::pair{u"gate"_s, tr("Fails gate")},
          std::pair{u"reason"_s, tr("Leading reason")}, std::pair{u"baseline"_s, tr("Baseline")},
          std::pair{u"status"_s, tr("Status")}, std::pair{u"claim"_s, tr("Claim")}, std::pair{u"language"_s, tr("Language")}})
        m_groups.push_back({field, title, {}, field == u"gate"_s, 0, {}}); // twelve gates are not many
    connect(m_channel, &QueryChannel::failed, this, &FacetModel::failed);
    connect(&filters, &FilterStack::filterChanged, this, [this] {
        refreshStates(); // the click is seen at once, the counts follow
        reload();
    });
}

FacetModel::~FacetModel() = default;

QModelIndex FacetModel::index(int row, int column, const QModelIndex& parent) const
{
    if (row < 0 || row >= rowCount(parent) || column != 0)
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row() + 1) : kGroupLevel);
}

QModelIndex FacetModel::parent(const QModelIndex& index) const
{
    if (!index.isValid() || index.internalId() == kGroupLevel)
        return {};
    return createIndex(static_cast<int>(index.internalId()) - 1, 0, kGroupLevel);
}

int FacetModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_groups.size());
    if (parent.internalId() != kGroupLevel || parent.column() != 0)
        return 0;
    return static_cast<int>(m_groups[static_cast<std::size_t>(parent.row())].rows.size());
}

int FacetModel::columnCount(const QModelIndex&) const
{
    return 1;
}

Qt::ItemFlags FacetModel::flags(const QModelIndex& index) const
{
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
}

QVariant FacetModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (index.internalId() == kGroupLevel)
        return groupData(m_groups[static_cast<std::size_t>(index.row())], role);
    return valueData(m_groups[index.internalId() - 1], index.row(), role);
}

QVariant FacetModel::groupData(const Group& group, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return group.title;
    case FieldRole:
        return group.field;
    case ValueRole:
        return QString();
    case ChosenRole:
        return static_cast<int>(
            std::count_if(group.values.begin(), group.values.end(), [](const Value& value) { return value.state != Neutral; }));
    default:
        return {};
    }
}

QVariant FacetModel::valueData(const Group& group, int row, int role) const
{
    const int position = group.rows[static_cast<std::size_t>(row)];
    const bool more = position == kMore;
    if (role == FieldRole)
        return group.field;
    if (role == MoreRole)
        return more;
    if (more) {
        const auto rest = group.values.size() - kValuesAtFirst;
        return role == Qt::DisplayRole ? QVariant(group.showsAll ? tr("show fewer") : tr("%1 more...").arg(rest)) : QVariant();
    }
    const Value& value = group.values[static_cast<std::size_t>(position)];
    const QString title = valueTitle(group.field, value.value);
    switch (role) {
    case Qt::DisplayRole:
        return title;
    case Qt::ToolTipRole:
        return tr("%1: %2 kernels. Click keeps them, Ctrl-click leaves them out.").arg(title, words::countText(value.count));
    case Qt::AccessibleTextRole: {
        const QString state = value.state == Included ? tr(", kept") : value.state == Excluded ? tr(", left out") : QString();
        return QString(title + u", "_s + words::countText(value.count) + state);
    }
    case ValueRole:
        return value.value;
    case CountRole:
        return QVariant::fromValue<qlonglong>(value.count);
    case ShareRole:
        return group.largest > 0 ? static_cast<double>(value.count) / static_cast<double>(group.largest) : 0.0;
    case StateRole:
        return value.state;
    default:
        return {};
    }
}

void FacetModel::reload()
{
    const std::int64_t scopeId = m_workspace.scopeId();
    if (scopeId == 0) {
        m_channel->cancel();
        adopt({});
        return;
    }
    m_channel->start<std::vector<store::Facet>>(
        [scopeId, filter = m_filters.filter()](store::Database& database, std::stop_token) {
            return store::triageFacets(database, scopeId, filter);
        },
        [this](std::vector<store::Facet> facets) { adopt(std::move(facets)); }, QueryChannel::Urgency::Later);
}

bool FacetModel::isLoading() const
{
    return m_channel->isRunning();
}

void FacetModel::adopt(std::vector<store::Facet> facets)
{
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const std::string field = m_groups[i].field.toStdString();
        const auto facet = std::find_if(facets.begin(), facets.end(), [&](const store::Facet& f) { return f.field == field; });
        setContent(static_cast<int>(i),
                   arranged(m_groups[i], facet == facets.end() ? std::vector<store::FacetValue>() : facet->values),
                   m_groups[i].showsAll);
    }
    Q_EMIT loaded();
}

std::vector<FacetModel::Value> FacetModel::arranged(const Group& group, const std::vector<store::FacetValue>& counts) const
{
    std::vector<Value> values;
    for (const store::FacetValue& counted : counts) {
        const QString value = words::fromUtf8(counted.value);
        values.push_back({value, counted.count, stateOf(group.field, value)});
    }
    // What the filter holds stays on show, so that it can be taken out again.
    for (const store::FilterTerm& term : m_filters.filter().terms) {
        if (words::fromUtf8(term.key) != group.field || term.op != ":")
            continue;
        for (const std::string& held : term.values) {
            const QString value = words::fromUtf8(held);
            if (std::none_of(values.begin(), values.end(), [&](const Value& v) { return v.value == value; }))
                values.push_back({value, 0, stateOf(group.field, value)});
        }
    }
    std::erase_if(values, [](const Value& value) { return value.count == 0 && value.state == Neutral; });
    if (group.field == u"outcome"_s)
        std::stable_sort(values.begin(), values.end(),
                         [](const Value& a, const Value& b) { return outcomeRank(a.value) < outcomeRank(b.value); });
    else if (group.field == u"gate"_s)
        std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return a.value < b.value; });
    else
        std::sort(values.begin(), values.end(),
                  [](const Value& a, const Value& b) { return a.count != b.count ? a.count > b.count : a.value < b.value; });
    return values;
}

void FacetModel::setContent(int groupRow, std::vector<Value> values, bool showsAll)
{
    Group& group = m_groups[static_cast<std::size_t>(groupRow)];
    const QModelIndex parent = index(groupRow, 0);
    std::vector<int> rows = rowsOf(values.size(), showsAll);
    const int before = static_cast<int>(group.rows.size());
    const int after = static_cast<int>(rows.size());
    // Rows leave and arrive at the end; then the content of all of them is announced as new.
    if (after < before) {
        beginRemoveRows(parent, after, before - 1);
        group.rows.resize(rows.size());
        endRemoveRows();
    } else if (after > before) {
        beginInsertRows(parent, before, after - 1);
    }
    group.values = std::move(values);
    group.rows = std::move(rows);
    group.showsAll = showsAll;
    group.largest = 0;
    for (const Value& value : group.values)
        group.largest = std::max(group.largest, value.count);
    if (after > before)
        endInsertRows();
    if (after > 0)
        Q_EMIT dataChanged(index(0, 0, parent), index(after - 1, 0, parent));
    Q_EMIT dataChanged(parent, parent);
}

FacetModel::FacetState FacetModel::stateOf(const QString& field, const QString& value) const
{
    for (const store::FilterTerm& term : m_filters.filter().terms) {
        if (words::fromUtf8(term.key) == field && term.op == ":"
            && std::find(term.values.begin(), term.values.end(), value.toStdString()) != term.values.end())
            return term.negated ? Excluded : Included;
    }
    return Neutral;
}

void FacetModel::refreshStates()
{
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        Group& group = m_groups[i];
        for (Value& value : group.values)
            value.state = stateOf(group.field, value.value);
        const QModelIndex parent = index(static_cast<int>(i), 0);
        if (!group.rows.empty())
            Q_EMIT dataChanged(index(0, 0, parent), index(static_cast<int>(group.rows.size()) - 1, 0, parent), {StateRole});
        Q_EMIT dataChanged(parent, parent, {ChosenRole});
    }
}

void FacetModel::activate(const QModelIndex& index, bool exclude)
{
    if (!index.isValid() || index.internalId() == kGroupLevel)
        return;
    if (index.data(MoreRole).toBool()) {
        const int groupRow = index.parent().row();
        const Group& group = m_groups[static_cast<std::size_t>(groupRow)];
        setContent(groupRow, group.values, !group.showsAll);
        return;
    }
    const auto state = static_cast<FacetState>(index.data(StateRole).toInt());
    // A click on a value that is left out lets it in again; it does not turn it into the only one.
    const bool negated = state == Neutral ? exclude : state == Excluded;
    m_filters.toggleValue(index.data(FieldRole).toString(), index.data(ValueRole).toString(), negated);
}

QModelIndex FacetModel::find(const QString& field, const QString& value) const
{
    for (int group = 0; group < rowCount(); ++group) {
        const QModelIndex parent = index(group, 0);
        if (parent.data(FieldRole).toString() != field)
            continue;
        for (int row = 0; row < rowCount(parent); ++row) {
            const QModelIndex candidate = index(row, 0, parent);
            if (!candidate.data(MoreRole).toBool() && candidate.data(ValueRole).toString() == value)
                return candidate;
        }
    }
    return {};
}

} // namespace assay::views

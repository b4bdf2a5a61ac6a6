// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/published_model.h"

#include "views/theme/number_text.h"

#include <algorithm>
#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr quintptr kTop = ~quintptr(0);

QString figures(std::size_t count)
{
    return count == 1 ? PublishedModel::tr("1 figure")
                      : PublishedModel::tr("%1 figures").arg(number_text::count(std::int64_t(count)));
}

} // namespace

PublishedModel::PublishedModel(QObject* parent)
    : QAbstractItemModel(parent)
{
}

void PublishedModel::setNumbers(const std::vector<report::PublishedNumber>& numbers)
{
    beginResetModel();
    m_numbers = numbers;
    regroup();
    endResetModel();
}

void PublishedModel::setSearch(const QString& text)
{
    if (text == m_search)
        return;
    beginResetModel();
    m_search = text;
    regroup();
    endResetModel();
}

void PublishedModel::regroup()
{
    m_groups.clear();
    for (std::size_t i = 0; i < m_numbers.size(); ++i) {
        const report::PublishedNumber& figure = m_numbers[i];
        const QString kind = QString::fromStdString(figure.kind);
        if (!m_search.isEmpty()) {
            const QString all
                = QString::fromStdString(figure.pointer + ' ' + figure.sourceFile + ' ' + figure.text) + u' ' + kindTitle(kind);
            if (!all.contains(m_search, Qt::CaseInsensitive))
                continue;
        }
        auto group = std::find_if(m_groups.begin(), m_groups.end(), [&](const Group& g) { return g.kind == kind; });
        if (group == m_groups.end())
            group = m_groups.insert(m_groups.end(), Group{kind, {}});
        group->figures.push_back(i);
    }
}

int PublishedModel::figureCount() const
{
    std::size_t count = 0;
    for (const Group& group : m_groups)
        count += group.figures.size();
    return static_cast<int>(count);
}

QModelIndex PublishedModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) : kTop);
}

QModelIndex PublishedModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || child.internalId() == kTop)
        return {};
    return createIndex(static_cast<int>(child.internalId()), 0, kTop);
}

int PublishedModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_groups.size());
    if (parent.internalId() != kTop || parent.column() != 0)
        return 0;
    return static_cast<int>(m_groups[std::size_t(parent.row())].figures.size());
}

int PublishedModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

QVariant PublishedModel::figureData(const report::PublishedNumber& figure, int column, int role) const
{
    const bool text = !figure.value.isPresent();
    if (role == Qt::ToolTipRole)
        return QString(QString::fromStdString(figure.sourceFile + figure.pointer) + u": "_s
                       + (text ? QString::fromStdString(figure.text) : number_text::exact(figure.value)));
    if (role == SortRole && column == Value)
        return text ? QVariant(QString::fromStdString(figure.text)) : QVariant(tensor::toDouble(figure.value));
    if (role == Qt::TextAlignmentRole && column == Value && !text)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != SortRole)
        return {};
    switch (column) {
    case Name: {
        QString pointer = QString::fromStdString(figure.pointer);
        return (pointer.startsWith(u'/') ? pointer.mid(1) : pointer).replace(u"/"_s, u" \u203a "_s);
    }
    case Value:
        return text ? QString::fromStdString(figure.text) : number_text::figure(figure.value);
    case File:
        return QString::fromStdString(figure.sourceFile);
    default:
        return {};
    }
}

QVariant PublishedModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (index.internalId() == kTop) {
        const Group& group = m_groups[std::size_t(index.row())];
        if (role != Qt::DisplayRole && role != SortRole && role != Qt::ToolTipRole)
            return {};
        if (index.column() == Name)
            return kindTitle(group.kind);
        return index.column() == Value ? QVariant(figures(group.figures.size())) : QVariant();
    }
    const Group& group = m_groups[std::size_t(index.internalId())];
    return figureData(m_numbers[group.figures[std::size_t(index.row())]], index.column(), role);
}

QVariant PublishedModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Figure");
    case Value:
        return tr("Value");
    case File:
        return tr("File");
    default:
        return {};
    }
}

QString PublishedModel::kindTitle(const QString& kind)
{
    static const std::pair<QString, QString> titles[] = {
        {u"environment"_s, tr("Environment")},
        {u"agreement"_s, tr("Agreement with the original harness")},
        {u"calibration"_s, tr("Calibration margins")},
        {u"positive_control"_s, tr("Positive control")},
        {u"sample"_s, tr("Manual sample")},
        {u"cross_table"_s, tr("Cross table with another harness")},
        {u"funnel"_s, tr("Funnel and floor")},
    };
    for (const auto& [key, title] : titles) {
        if (key == kind)
            return title;
    }
    QString spoken = kind;
    spoken.replace(u'_', u' ');
    if (!spoken.isEmpty())
        spoken[0] = spoken[0].toUpper();
    return spoken;
}

} // namespace assay::views

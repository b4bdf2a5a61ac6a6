// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/worst_model.h"

#include "views/diff/diff_words.h"

#include <cmath>
#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

WorstModel::WorstModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void WorstModel::setElements(std::vector<diff::ExactPair> elements)
{
    beginResetModel();
    m_elements = std::move(elements);
    endResetModel();
}

const diff::ExactPair* WorstModel::element(int row) const
{
    return row >= 0 && row < std::ssize(m_elements) ? &m_elements[static_cast<std::size_t>(row)] : nullptr;
}

void WorstModel::setBrief(bool on)
{
    if (std::exchange(m_isBrief, on) != on && !m_elements.empty())
        Q_EMIT dataChanged(index(0, Reference), index(rowCount() - 1, Candidate), {Qt::DisplayRole});
}

int WorstModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_elements.size());
}

int WorstModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString WorstModel::valueText(const diff::ExactValue& value) const
{
    const QString exact = QString::fromStdString(value.text);
    bool isNumber = false;
    const double number = exact.toDouble(&isNumber);
    return m_isBrief && isNumber && std::isfinite(number) ? diff_words::number(number) : exact;
}

QString WorstModel::text(const diff::ExactPair& pair, int column) const
{
    const QString none = u"\u2013"_s;
    switch (column) {
    case Place:
        return diff_words::index(pair.index);
    case Reference:
        return valueText(pair.reference);
    case Candidate:
        return valueText(pair.candidate);
    case Absolute:
        return pair.isFinite ? diff_words::number(pair.absolute) : none;
    case Relative:
        return pair.relative ? diff_words::number(*pair.relative) : none;
    default:
        return diff_words::ulp(pair.ulp);
    }
}

QVariant WorstModel::data(const QModelIndex& index, int role) const
{
    const diff::ExactPair* pair = index.isValid() ? element(index.row()) : nullptr;
    if (!pair)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return text(*pair, index.column());
    case Qt::ToolTipRole:
        return diff_words::picked(*pair);
    case Qt::TextAlignmentRole:
        return int((index.column() == Place ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case SortRole:
        return index.column() == Absolute && pair->isFinite ? QVariant(pair->absolute) : text(*pair, index.column());
    default:
        return {};
    }
}

QVariant WorstModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Place ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString names[] = {tr("Index"), tr("Ref"), tr("Cand"), tr("Abs"), tr("Rel"), tr("ulp")};
    return names[section];
}

} // namespace assay::views

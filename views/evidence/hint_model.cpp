// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/hint_model.h"

#include "views/evidence/measure_text.h"

namespace assay::views {

HintModel::HintModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void HintModel::setHints(std::vector<SourceHint> hints)
{
    beginResetModel();
    m_hints = std::move(hints);
    endResetModel();
}

int HintModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_hints.size());
}

int HintModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant HintModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const SourceHint& hint = m_hints[std::size_t(index.row())];
    if (role == LineRole)
        return hint.line;
    if (role == Qt::TextAlignmentRole && index.column() == Line)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return tr("A hint, not a verdict: %1").arg(measure_text::fromUtf8(hint.reason));
    if (role != Qt::DisplayRole)
        return {};
    return index.column() == Line ? QVariant(hint.line + 1) : QVariant(measure_text::fromUtf8(hint.reason));
}

QVariant HintModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Line ? tr("Line") : tr("Hint, not a verdict");
}

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/facts_model.h"

namespace assay::views {

FactsModel::FactsModel(const QStringList& header, QObject* parent)
    : QAbstractTableModel(parent)
    , m_header(header)
{
}

void FactsModel::setRows(const QVector<QStringList>& rows)
{
    beginResetModel();
    m_rows = rows;
    endResetModel();
}

int FactsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int FactsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_header.size());
}

QVariant FactsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    return m_rows[index.row()].value(index.column());
}

QVariant FactsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return orientation == Qt::Horizontal && role == Qt::DisplayRole ? QVariant(m_header.value(section)) : QVariant();
}

} // namespace assay::views

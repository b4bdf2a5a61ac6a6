// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/cell_model.h"

#include "views/figure/figure_canvas.h"

#include <QFont>

#include <algorithm>
#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

/// Short enough for a column; the tool tip has the sentence.
QString shortName(calibration::GapState state)
{
    return QString::fromUtf8(calibration::name(state).data()).replace(u'-', u' ');
}

QString sentenceOf(calibration::GapState state)
{
    return QString::fromUtf8(calibration::sentence(state).data());
}

} // namespace

void CellModel::setRows(std::vector<CellRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

const CellRow* CellModel::row(int index) const
{
    return index >= 0 && index < int(m_rows.size()) ? &m_rows[std::size_t(index)] : nullptr;
}

int CellModel::indexOf(const calibration::CellName& cell) const
{
    const auto found = std::ranges::find(m_rows, cell, &CellRow::cell);
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

int CellModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int CellModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(kColumns);
}

QString CellModel::text(const CellRow& row, int column) const
{
    switch (column) {
    case Gate:
        return QString::fromStdString(row.cell.gate);
    case Family:
        return QString::fromStdString(row.cell.family);
    case Type:
        return QString::fromStdString(row.cell.dtype);
    case Threshold:
        return row.threshold ? shortNumber(*row.threshold) : u"\u2013"_s;
    case Below:
        return row.margins ? marginText(row.margins->below) : QString();
    case Above:
        return row.margins ? marginText(row.margins->above) : QString();
    default:
        return row.note.isEmpty() ? shortName(row.state) : row.note.section(u':', 0, 0); // the tool tip has all
    }
}

QVariant CellModel::data(const QModelIndex& index, int role) const
{
    const CellRow* cell = index.isValid() ? row(index.row()) : nullptr;
    if (cell == nullptr)
        return {};
    const bool isNumber = index.column() >= Threshold && index.column() <= Above;
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (isNumber ? Qt::AlignRight : Qt::AlignLeft));
    if (role == Qt::FontRole) {
        QFont font;
        font.setItalic(cell->isPublished());
        font.setBold((index.column() == Below && cell->isThinBelow) || (index.column() == Above && cell->isThinAbove));
        return font;
    }
    if (role == Qt::ToolTipRole) {
        if (!cell->margins)
            return cell->note.isEmpty() ? sentenceOf(cell->state) : cell->note;
        return tr("%1: %2 below and %3 above the threshold, in decades and as a ratio")
            .arg(sentenceOf(cell->state), marginText(cell->margins->below), marginText(cell->margins->above));
    }
    return role == Qt::DisplayRole ? QVariant(text(*cell, index.column())) : QVariant();
}

QVariant CellModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section >= Threshold && section <= Above ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole)
        return {};
    const QStringList names{tr("Gate"), tr("Family"), tr("Type"), tr("Threshold"), tr("Below"), tr("Above"), tr("State")};
    return names.value(section);
}

} // namespace assay::views

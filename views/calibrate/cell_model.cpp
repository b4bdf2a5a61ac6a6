// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/cell_model.h"

#include "views/calibrate/limit_words.h"
#include "views/figure/figure_canvas.h"
#include "views/theme/theme.h"

#include <QBrush>
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

CellModel::CellModel(const Theme& theme, QObject* parent)
    : QAbstractTableModel(parent)
    , m_theme(theme)
{
}

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
    case Limit:
        return row.limit ? limit_words::brief(*row.limit) : u"\u2013"_s;
    case Threshold:
        return row.threshold ? shortNumber(*row.threshold) : u"\u2013"_s;
    case Below:
        return row.margins ? decadesText(row.margins->below) : QString();
    case Above:
        return row.margins ? decadesText(row.margins->above) : QString();
    default:
        return row.note.isEmpty() ? shortName(row.state) : row.note.section(u':', 0, 0); // the tool tip has all
    }
}

QString CellModel::toolTip(const CellRow& row, int column)
{
    if (column == Limit && row.limit)
        return limit_words::sentence(*row.limit);
    if (!row.margins)
        return row.note.isEmpty() ? sentenceOf(row.state) : row.note;
    return tr("%1: %2 below and %3 above the threshold, in decades and as a ratio")
        .arg(sentenceOf(row.state), marginText(row.margins->below), marginText(row.margins->above));
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
        font.setItalic(cell->isPublished() || (index.column() == Limit && cell->limit && cell->limit->isOneSided()));
        font.setBold((index.column() == Below && cell->isThinBelow) || (index.column() == Above && cell->isThinAbove));
        return font;
    }
    if (role == Qt::ForegroundRole && index.column() == Limit && cell->limit && !cell->limit->isCalibrated())
        return QBrush(m_theme.mutedInk());
    if (role == Qt::ToolTipRole)
        return toolTip(*cell, index.column());
    return role == Qt::DisplayRole ? QVariant(text(*cell, index.column())) : QVariant();
}

QVariant CellModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section >= Threshold && section <= Above ? Qt::AlignRight : Qt::AlignLeft));
    if (role == Qt::ToolTipRole && section == Limit)
        return tr("The error over its bound from which a judge says fail, as assay calibrate --thresholds writes it");
    if (role == Qt::ToolTipRole && section == Threshold)
        return tr("Midway between floor and onset, or set by hand; it decides where its gap is safe");
    if (role != Qt::DisplayRole)
        return {};
    const QStringList names{tr("Gate"),      tr("Family"), tr("Type"),  tr("Limit"),
                            tr("Threshold"), tr("Below"),  tr("Above"), tr("State")};
    return names.value(section);
}

} // namespace assay::views

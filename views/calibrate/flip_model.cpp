// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/flip_model.h"

#include "views/figure/figure_canvas.h"

#include <cmath>
#include <utility>

namespace assay::views {

using namespace Qt::StringLiterals;

void FlipModel::setRows(std::vector<report::VerdictFlip> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int FlipModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int FlipModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(kColumns);
}

QVariant FlipModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (index.column() == Excess ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole)
        return {};
    const report::VerdictFlip& flip = m_rows[std::size_t(index.row())];
    switch (index.column()) {
    case Kernel:
        return QString::fromStdString(flip.externalId);
    case Title:
        return QString::fromStdString(flip.title);
    case Audit:
        return QString(QString::fromStdString(flip.corpus) + u'/' + QString::fromStdString(flip.audit));
    case Excess:
        return std::isfinite(flip.excess) ? shortNumber(flip.excess) : tr("not finite");
    default: {
        const QString turn = flip.toFail ? tr("pass \u2192 fail") : tr("fail \u2192 pass");
        return flip.turnsKernel ? tr("%1, kernel too").arg(turn) : turn;
    }
    }
}

QVariant FlipModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QStringList names{tr("Kernel"), tr("Title"), tr("Audit"), tr("Error over bound"), tr("Gate")};
    return names.value(section);
}

} // namespace assay::views

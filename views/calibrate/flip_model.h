// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/threshold_proposal.h"

#include <QAbstractTableModel>

namespace assay::views {

/// Verdicts that a threshold would turn around.
class FlipModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Kernel, Title, Audit, Excess, Turn, kColumns };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<report::VerdictFlip> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<report::VerdictFlip> m_rows;
};

} // namespace assay::views

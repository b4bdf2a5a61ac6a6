// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/evidence/source_hints.h"

#include <QAbstractTableModel>

#include <vector>

namespace assay::views {

/// The hints on a candidate's source: line and reason.
class HintModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Line, Reason, ColumnCount };
    enum Role { LineRole = Qt::UserRole };

    explicit HintModel(QObject* parent = nullptr);

    void setHints(std::vector<SourceHint> hints);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<SourceHint> m_hints;
};

} // namespace assay::views

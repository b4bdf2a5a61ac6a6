// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/records.h"

#include <QAbstractTableModel>

#include <vector>

namespace assay::views {

/// The checks of one gate: stimulus, measured against allowed, in proportion.
///
/// A gate that recorded a number but no single checks shows one row, the check that decided.
class CheckModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Stimulus, Measured, Allowed, Bar, OfScale, ColumnCount };
    enum Role { CellRole = Qt::UserRole, ValueRole, ValueClassRole, ThresholdRole, ThresholdClassRole, SortRole };

    explicit CheckModel(QObject* parent = nullptr);

    /// @param audit  that judged it
    void setGate(const store::GateRecord* gate, const store::AuditRecord& audit = {});
    /// The whole row in one sentence, its finding included.
    QString sentence(int row) const;
    /// Where the row's limit comes from: "Threshold 1, not calibrated."; "" where nothing was allowed.
    QString limit(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString stimulus(const store::CheckRecord& check) const;
    std::vector<store::CheckRecord> m_checks;
    std::vector<QString> m_limits; ///< of the same
};

} // namespace assay::views

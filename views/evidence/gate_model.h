// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/records.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace assay::views {

/// The twelve gates of one kernel: state, severity, sentence.
class GateModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Gate, State, Sentence, ColumnCount };
    enum Role { CellRole = Qt::UserRole, GateRole, SortRole };

    explicit GateModel(QObject* parent = nullptr);

    void setVerdict(const std::optional<store::VerdictRecord>& verdict);
    int rowOf(contract::Gate gate) const;
    /// The record of @p row, or nullptr where the audit did not run the gate.
    const store::GateRecord* record(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// What is said of a gate in one line; "" where nothing is recorded.
    static QString sentence(const store::GateRecord& gate);

private:
    std::vector<std::optional<store::GateRecord>> m_gates;
};

} // namespace assay::views

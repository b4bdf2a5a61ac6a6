// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/launch.h"

#include <QAbstractTableModel>

#include <vector>

namespace assay::views {

/// The operator's outputs against the recurrence in fp64.
class ErrorModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Output, Error, Allowed, Bar, kColumns };
    enum Role {
        CellRole = Qt::UserRole, ///< contract::StripCell as int
        ValueRole,               ///< double
        ValueClassRole,          ///< tensor::ValueClass as int
        ThresholdRole,
        ThresholdClassRole,
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setErrors(std::vector<launch::LaunchError> errors);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<launch::LaunchError> m_errors;
};

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/calibrate/calibrate_data.h"

#include <QAbstractTableModel>

namespace assay::views {

class Theme;

/// The cells of a calibration with what decides in them and the margins of their thresholds, and what others published of the
/// gates.
class CellModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Gate, Family, Type, Limit, Threshold, Below, Above, State, kColumns };

    explicit CellModel(const Theme& theme, QObject* parent = nullptr);

    void setRows(std::vector<CellRow> rows);
    /// nullptr where there is no such row.
    const CellRow* row(int index) const;
    /// -1 where it is not there.
    int indexOf(const calibration::CellName& cell) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const CellRow& row, int column) const;
    static QString toolTip(const CellRow& row, int column);
    const Theme& m_theme;
    std::vector<CellRow> m_rows;
};

} // namespace assay::views

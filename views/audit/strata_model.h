// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/sample_estimate.h"

#include <QAbstractTableModel>

namespace assay::views {

/// The strata of a plan: how large, how many are taken and, once labels are there, what they say. The last row is the frame.
class StrataModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Frame, Sample, Labelled, Precision, kColumns };
    /// Precision: low, share and high as a list of three numbers; nothing where nothing is decided.
    enum Role { IntervalRole = Qt::UserRole + 1 };

    using QAbstractTableModel::QAbstractTableModel;

    /// A plan that is not stored: sizes alone.
    void setPlan(const store::SamplePlan& plan);
    void setEstimate(const report::SampleEstimate& estimate);
    void clear();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        QString name;
        std::int64_t frame = 0;
        std::int64_t sample = 0;
        std::int64_t labelled = 0;
        QVariantList interval;
        QString tip;
    };
    void setRows(QList<Row> rows);
    QList<Row> m_rows;
};

} // namespace assay::views

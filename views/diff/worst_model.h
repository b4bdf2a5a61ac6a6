// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/exact_value.h"

#include <QAbstractTableModel>

#include <vector>

namespace assay::views {

/// The elements to look at first: those of another class than the reference's, then the largest absolute errors.
class WorstModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Place, Reference, Candidate, Absolute, Relative, Ulp, ColumnCount };
    enum Role { SortRole = Qt::UserRole };

    explicit WorstModel(QObject* parent = nullptr);

    void setElements(std::vector<diff::ExactPair> elements);
    const diff::ExactPair* element(int row) const;
    /// Four digits of each value where there is no room for all; the tool tip has them all.
    void setBrief(bool on);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString valueText(const diff::ExactValue& value) const;
    QString text(const diff::ExactPair& pair, int column) const;
    std::vector<diff::ExactPair> m_elements;
    bool m_isBrief = false;
};

} // namespace assay::views

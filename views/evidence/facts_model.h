// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QStringList>
#include <QVector>

namespace assay::views {

/// A small read-only table of texts with a header: origins, baseline verdicts, facts.
class FactsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit FactsModel(const QStringList& header, QObject* parent = nullptr);

    void setRows(const QVector<QStringList>& rows); ///< each as long as the header
    const QVector<QStringList>& rows() const { return m_rows; }
    const QStringList& header() const { return m_header; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_header;
    QVector<QStringList> m_rows;
};

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/report.h"

#include <QAbstractItemModel>
#include <QString>

#include <vector>

namespace assay::views {

/// The figures an audit published: kinds at the top, under each its figures as file, pointer and value. Never mixed with
/// recomputed ones.
class PublishedModel final : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Value, File, ColumnCount };
    enum Role { SortRole = Qt::UserRole };

    explicit PublishedModel(QObject* parent = nullptr);

    void setNumbers(const std::vector<report::PublishedNumber>& numbers);
    /// Shows the figures whose pointer, text or file contains @p text (any case).
    void setSearch(const QString& text);
    int figureCount() const; ///< shown ones

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// "cross_table" as a person says it.
    static QString kindTitle(const QString& kind);

private:
    struct Group {
        QString kind;
        std::vector<std::size_t> figures; ///< indexes into m_numbers
    };
    void regroup();
    QVariant figureData(const report::PublishedNumber& figure, int column, int role) const;

    std::vector<report::PublishedNumber> m_numbers;
    std::vector<Group> m_groups;
    QString m_search;
};

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/triage.h"

#include <QAbstractItemModel>
#include <QString>

#include <vector>

namespace assay::views {

class FilterStack;
class QueryChannel;
class Workspace;

/// Facets and their values with live counts: a tree of two levels. A value's check says whether the filter holds it.
///
/// Counts stay as they are until newer ones arrive. Values that the filter holds stay in the tree though nothing matches them.
class FacetModel final : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Role {
        FieldRole = Qt::UserRole, ///< the filter key, of groups and values
        ValueRole,                ///< the filter value; "" for groups and for "more"
        CountRole,
        ShareRole,  ///< count over the largest count of the group, 0 to 1
        StateRole,  ///< FacetState
        MoreRole,   ///< true for the row that shows the rest of a long group
        ChosenRole, ///< of groups: how many values the filter holds
    };
    enum FacetState { Neutral, Included, Excluded };

    FacetModel(Workspace& workspace, FilterStack& filters, QObject* parent = nullptr);
    ~FacetModel() override;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    /// Counts anew under the filter as it is now.
    void reload();
    bool isLoading() const;

    /// A click on @p index: puts its value into the filter, or out of it; shows the rest of a group at "more".
    void activate(const QModelIndex& index, bool exclude);
    /// The row of @p value in @p field, invalid where it is not shown.
    QModelIndex find(const QString& field, const QString& value) const;

Q_SIGNALS:
    void loaded();
    void failed(const QString& message);

private:
    struct Value {
        QString value;
        std::int64_t count = 0;
        FacetState state = Neutral;
    };
    struct Group {
        QString field;
        QString title;
        std::vector<Value> values; ///< all of them
        bool showsAll = false;
        std::int64_t largest = 0;
        std::vector<int> rows; ///< what the tree shows: positions in values, kMore for the row that shows the rest
    };
    static constexpr int kMore = -1;
    void adopt(std::vector<store::Facet> facets);
    void setContent(int group, std::vector<Value> values, bool showsAll);
    static std::vector<int> rowsOf(std::size_t values, bool showsAll);
    std::vector<Value> arranged(const Group& group, const std::vector<store::FacetValue>& counts) const;
    FacetState stateOf(const QString& field, const QString& value) const;
    void refreshStates();
    QVariant groupData(const Group& group, int role) const;
    QVariant valueData(const Group& group, int row, int role) const;

    Workspace& m_workspace;
    FilterStack& m_filters;
    QueryChannel* m_channel;
    std::vector<Group> m_groups;
};

} // namespace assay::views

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/triage/kernel_table_model.h"

#include <QObject>

#include <functional>
#include <memory>
#include <vector>

namespace assay::views {

class FilterStack;
class QueryChannel;
class Workspace;

/// Finds the next kernel that fails, in the order of the list, whichever rows are loaded.
class FailingRows final : public QObject {
    Q_OBJECT
public:
    FailingRows(Workspace& workspace, FilterStack& filters, QObject* parent = nullptr);

    /// Calls @p found with the row of @p ids after (or before) @p row whose kernel fails, -1 where there is none.
    /// At once where this list was searched before, else when SQL has answered.
    void find(const KernelIds& ids, int row, bool forward, std::function<void(int)> found);

    /// Forgets the rows: the content changed.
    void clear();

Q_SIGNALS:
    void failed(const QString& message);

private:
    int pick(int row, bool forward) const;

    Workspace& m_workspace;
    FilterStack& m_filters;
    QueryChannel* m_channel;
    KernelIds m_ids;         ///< what m_rows belongs to
    std::vector<int> m_rows; ///< ascending
};

} // namespace assay::views

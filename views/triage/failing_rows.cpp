// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/failing_rows.h"

#include "views/state/filter_stack.h"
#include "views/state/query_channel.h"
#include "views/state/workspace.h"

#include <algorithm>

namespace assay::views {

FailingRows::FailingRows(Workspace& workspace, FilterStack& filters, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_filters(filters)
    , m_channel(new QueryChannel(workspace, this))
{
    connect(m_channel, &QueryChannel::failed, this, &FailingRows::failed);
}

void FailingRows::find(const KernelIds& ids, int row, bool forward, std::function<void(int)> found)
{
    if (m_ids == ids) {
        found(pick(row, forward));
        return;
    }
    store::TriageFilter filter = m_filters.filter();
    filter.terms.push_back({"outcome", ":", {"fail_hard", "fail_soft", "crash", "timeout"}, false});
    m_channel->start<std::vector<int>>(
        [scopeId = m_workspace.scopeId(), filter, sort = m_filters.sort(), ids](store::Database& database, std::stop_token) {
            // Both lists are in one order, so a single pass finds the rows. A kernel that only the newer answer knows is passed
            // over.
            const std::vector<std::int64_t> failing = store::triageIds(database, scopeId, filter, sort);
            std::vector<int> rows;
            rows.reserve(failing.size());
            auto from = ids->begin();
            for (const std::int64_t id : failing) {
                const auto at = std::find(from, ids->end(), id);
                if (at == ids->end())
                    continue;
                rows.push_back(static_cast<int>(at - ids->begin()));
                from = at + 1;
            }
            return rows;
        },
        [this, ids, row, forward, found = std::move(found)](std::vector<int> rows) {
            m_ids = ids;
            m_rows = std::move(rows);
            found(pick(row, forward));
        });
}

void FailingRows::clear()
{
    m_channel->cancel();
    m_ids.reset();
    m_rows.clear();
}

int FailingRows::pick(int row, bool forward) const
{
    if (forward) {
        const auto next = std::upper_bound(m_rows.begin(), m_rows.end(), row);
        return next == m_rows.end() ? -1 : *next;
    }
    const auto next = std::lower_bound(m_rows.begin(), m_rows.end(), row);
    return next == m_rows.begin() ? -1 : *(next - 1);
}

} // namespace assay::views

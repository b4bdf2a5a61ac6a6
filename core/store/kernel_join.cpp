// SPDX-License-Identifier: Apache-2.0
#include "core/store/kernel_join.h"

#include "core/store/claim_sql.h"

#include <vector>

namespace assay::store {

namespace {

struct SharedAudit {
    std::string name;
    std::int64_t keptVerdict = 0;
    std::int64_t goneVerdict = 0;
};

std::vector<SharedAudit> sharedAudits(SQLite::Database& database, std::int64_t kept, std::int64_t gone)
{
    std::vector<SharedAudit> shared;
    Statement query(database,
                    "SELECT a.name, v.id, w.id FROM verdict v JOIN verdict w ON w.audit_id = v.audit_id "
                    "JOIN audit a ON a.id = v.audit_id WHERE v.kernel_id = ?1 AND w.kernel_id = ?2");
    query.integer(1, kept).integer(2, gone);
    while (query.step())
        shared.push_back({std::string(query.textAt(0)), query.integerAt(1), query.integerAt(2)});
    return shared;
}

void moveRows(SQLite::Database& database, const std::string& sql, std::int64_t kept, std::int64_t gone)
{
    Statement(database, sql).integer(1, kept).integer(2, gone).run();
}

void moveSampleItems(SQLite::Database& database, std::int64_t kept, std::int64_t gone)
{
    // Where a plan drew both, their labels gather under the item that stays.
    moveRows(database,
             "UPDATE label SET item_id = (SELECT k.id FROM sample_item k JOIN sample_item g ON g.plan_id = k.plan_id "
             "WHERE g.id = label.item_id AND k.kernel_id = ?1) "
             "WHERE item_id IN (SELECT g.id FROM sample_item g JOIN sample_item k ON k.plan_id = g.plan_id "
             "WHERE g.kernel_id = ?2 AND k.kernel_id = ?1)",
             kept, gone);
    moveRows(database,
             "DELETE FROM sample_item WHERE kernel_id = ?2 AND plan_id IN (SELECT plan_id FROM sample_item WHERE kernel_id = ?1)",
             kept, gone);
    moveRows(database, "UPDATE sample_item SET kernel_id = ?1 WHERE kernel_id = ?2", kept, gone);
}

} // namespace

std::optional<std::string> joinConflict(SQLite::Database& database, std::int64_t kept, std::int64_t gone)
{
    for (const SharedAudit& audit : sharedAudits(database, kept, gone)) {
        if (!sameVerdict(database, audit.keptVerdict, audit.goneVerdict, false))
            return "audit \"" + audit.name + "\" judged both, differently";
    }
    return std::nullopt;
}

void joinKernels(SQLite::Database& database, VerdictWriter& verdicts, std::int64_t kept, std::int64_t gone)
{
    for (const SharedAudit& audit : sharedAudits(database, kept, gone))
        verdicts.remove(audit.goneVerdict, audit.keptVerdict);
    moveRows(database, "UPDATE verdict SET kernel_id = ?1 WHERE kernel_id = ?2", kept, gone);
    // An origin names its claim only where the kernel's is another, which it may be from now on.
    moveRows(database,
             "UPDATE origin SET claim = (SELECT claim FROM kernel WHERE id = ?2) WHERE kernel_id = ?2 AND claim IS NULL "
             "AND (SELECT claim FROM kernel WHERE id = ?1) IS NOT (SELECT claim FROM kernel WHERE id = ?2)",
             kept, gone);
    moveRows(database, "UPDATE origin SET kernel_id = ?1 WHERE kernel_id = ?2", kept, gone);
    moveRows(database, "UPDATE note SET kernel_id = ?1 WHERE kernel_id = ?2", kept, gone);
    moveRows(database, "UPDATE waiver SET kernel_id = ?1 WHERE kernel_id = ?2", kept, gone);
    moveRows(database, "UPDATE OR IGNORE bookmark SET kernel_id = ?1 WHERE kernel_id = ?2", kept, gone);
    moveRows(database, "UPDATE OR REPLACE rule_outcome SET kernel_id = ?1 WHERE kernel_id = ?2", kept, gone);
    moveSampleItems(database, kept, gone);
    // Only facts that the kept kernel lacks; its sources are the caller's business because they decide its identity.
    moveRows(database,
             "UPDATE kernel SET entry_point = coalesce(kernel.entry_point, g.entry_point), "
                 + takeClaimWhereNone({"g.claim", "g.claimed_correct", "g.claimed_speedup", "g.claim_status"})
                 + ", family = CASE WHEN kernel.family = 'unknown' THEN g.family ELSE kernel.family END, "
                   "language = CASE WHEN kernel.language = 'unknown' THEN g.language ELSE kernel.language END "
                   "FROM kernel g WHERE kernel.id = ?1 AND g.id = ?2",
             kept, gone);
    Statement unindex(database,
                      "INSERT INTO kernel_fts (kernel_fts, rowid, title, external_id) "
                      "SELECT 'delete', id, title, external_id FROM kernel WHERE id = ?1");
    unindex.integer(1, gone).run();
    Statement erase(database, "DELETE FROM kernel WHERE id = ?1"); // takes its triage rows along
    erase.integer(1, gone).run();
}

} // namespace assay::store

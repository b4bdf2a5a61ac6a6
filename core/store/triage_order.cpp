// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage_order.h"

#include <SQLiteCpp/Statement.h>

namespace assay::store {

namespace {

std::string sortKeys(const TriageSort& sort)
{
    const std::string direction = sort.descending ? " DESC" : " ASC";
    switch (sort.column) {
    case TriageColumn::Id:
        return "t.external_number IS NULL" + direction + ", t.external_number" + direction + ", t.external_id" + direction + ", ";
    case TriageColumn::Title:
        return "t.title" + direction + ", ";
    case TriageColumn::Family:
        return "t.family" + direction + ", ";
    case TriageColumn::Language:
        return "t.language" + direction + ", ";
    case TriageColumn::Outcome:
        return "t.outcome" + direction + ", ";
    case TriageColumn::Status:
        return "t.status" + direction + ", ";
    case TriageColumn::Claim:
        return "t.claim" + direction + ", ";
    case TriageColumn::Baseline:
        return "t.baseline" + direction + ", ";
    case TriageColumn::Gates:
        return "t.fail_mask" + direction + ", ";
    case TriageColumn::Reason:
        return "t.lead_reason" + direction + ", ";
    case TriageColumn::HardFailures:
        return "t.hard_failures" + direction + ", ";
    case TriageColumn::SoftFailures:
        return "t.soft_failures" + direction + ", ";
    case TriageColumn::Exercised:
        return "t.exercised" + direction + " NULLS LAST, ";
    case TriageColumn::Error:
        return "t.error_rank" + direction + " NULLS LAST, ";
    case TriageColumn::Relative:
        return "CASE t.relative_class WHEN 'nan' THEN 2 WHEN '+inf' THEN 1 WHEN 'finite' THEN 0 WHEN '-inf' THEN -1 END"
            + direction + " NULLS LAST, t.relative" + direction + ", ";
    case TriageColumn::Speedup:
        return "t.speedup" + direction + " NULLS LAST, ";
    case TriageColumn::Elapsed:
        return "t.elapsed_seconds" + direction + " NULLS LAST, ";
    case TriageColumn::Flags:
        return "t.bookmarked * 4 + t.waived * 2 + t.has_note" + direction + ", ";
    }
    return {};
}

} // namespace

std::vector<std::int64_t> orderedIds(SQLite::Database& database, const SqlCondition& where, const TriageSort& sort,
                                     std::int64_t limit)
{
    SQLite::Statement query(database,
                            "SELECT t.kernel_id FROM triage t WHERE " + where.sql + " ORDER BY " + sortKeys(sort)
                                + "t.external_number ASC NULLS LAST, t.external_id, t.kernel_id LIMIT ?");
    const int next = bindValues(query, where.values);
    query.bind(next, limit);
    std::vector<std::int64_t> ids;
    while (query.executeStep())
        ids.push_back(query.getColumn(0).getInt64());
    return ids;
}

} // namespace assay::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

#include <SQLiteCpp/Statement.h>

#include <string>

namespace assay::tests {

/// Rows of @p sql as text, one a line, every value as SQL would write it: NULL, 'text' and 1.0 stay apart.
inline std::string rowsOf(store::Database& database, const std::string& sql)
{
    SQLite::Statement query(database.sqlite(), sql);
    std::string text;
    while (query.executeStep())
        text += query.getColumn(0).getString() + "\n";
    return text;
}

inline std::string quoted(const std::string& columns)
{
    std::string sql = "quote(";
    for (const char c : columns)
        sql += c == ',' ? std::string(") || '|' || quote(") : std::string(1, c);
    return sql + ")";
}

/// All that the audit of id @p audit says, with the kernels called by their ids: equal texts are equal verdicts, tensors
/// included.
inline std::string verdictContents(store::Database& database, std::int64_t audit)
{
    const std::string of = " FROM verdict v JOIN kernel k ON k.id = v.kernel_id";
    const std::string ofAudit = " WHERE v.audit_id = " + std::to_string(audit) + " ORDER BY k.external_id";
    const auto part = [&](const std::string& table, const std::string& columns, const std::string& order) {
        return rowsOf(database,
                      "SELECT quote(k.external_id) || '|' || " + quoted(columns) + of + " JOIN " + table
                          + " t ON t.verdict_id = v.id" + ofAudit + order);
    };
    return rowsOf(database,
                  "SELECT " + quoted("origin,taxonomy,device,versions,seed,gate_config,config_hash,started_at,finished_at")
                      + " FROM audit WHERE id = " + std::to_string(audit))
        + rowsOf(
               database,
               "SELECT quote(k.external_id) || '|' || "
                   + quoted("v.status,v.outcome,v.severity,v.hard_failures,v.soft_failures,v.exercised,v.total,v.elapsed_seconds,"
                            "v.error,v.finding,v.extra,v.membership,v.alignment,v.flags,v.isolation")
                   + of + ofAudit)
        + part("gate_result",
               "t.gate,t.verdict,t.severity,t.exercised,t.total,t.metric,t.value,t.value_class,t.threshold,t.threshold_class,"
               "t.reason_code,t.reason,t.finding,t.power",
               ", t.gate")
        + part("check_result",
               "t.gate,t.ordinal,t.code,t.verdict,t.severity,t.stimulus,t.metric,t.value,t.value_class,t.threshold,"
               "t.threshold_class,t.reason_code,t.finding,t.recipe,t.stimulus_sha256,t.output,t.worst_index",
               ", t.gate, t.ordinal")
        + part("baseline_verdict", "t.mode,t.verdict,t.trials,t.detail", ", t.mode")
        + part("artifact", "t.gate,t.ordinal,t.role,t.name,t.dtype,t.shape,t.strides,t.sha256", ", t.id")
        + rowsOf(database,
                 "SELECT "
                     + quoted("k.external_id,t.outcome,t.status,t.baseline,t.lead_reason,t.lead_gate,t.strip,t.fail_mask,t.hard_"
                              "failures,t.soft_failures,"
                              "t.error,t.error_class,t.accepted,t.audited,t.tolerance_free,t.any_violation")
                     + " FROM triage t JOIN scope s ON s.id = t.scope_id JOIN kernel k ON k.id = t.kernel_id WHERE s.audit_id = "
                     + std::to_string(audit) + " ORDER BY k.external_id");
}

} // namespace assay::tests

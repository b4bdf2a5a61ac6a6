// SPDX-License-Identifier: Apache-2.0
#include "core/report/verdict_stream.h"

#include "core/report/sql.h"

#include <SQLiteCpp/Column.h>

namespace assay::report {

namespace {

void readGates(SQLite::Statement& gates, VerdictFacts& facts)
{
    facts.gates = {};
    gates.reset();
    gates.bind(1, facts.verdictId);
    while (gates.executeStep()) {
        const auto gate = contract::gateFromId(gates.getColumn(0).getText());
        if (!gate)
            continue;
        GateFacts& result = facts.gates[static_cast<std::size_t>(*gate)];
        result.verdict = contract::verdictFromName(gates.getColumn(1).getText()).value_or(contract::Verdict::Unknown);
        result.severity = contract::severityFromName(gates.getColumn(2).getText()).value_or(contract::Severity::None);
        result.reason = gates.getColumn(3).getString();
        result.reasonCode = gates.getColumn(4).getString();
        result.valueClass = tensor::valueClassFromName(gates.getColumn(5).getText());
    }
}

} // namespace

void forEachVerdict(store::Database& database, std::int64_t auditId, const std::function<void(const VerdictFacts&)>& each)
{
    sql::guarded(database, [&] {
        SQLite::Statement verdicts(database.sqlite(), R"sql(
            SELECT v.id, v.kernel_id, k.family, v.status, v.error, COALESCE(v.speedup, k.claimed_speedup), v.output_aliasing,
                   v.elapsed_seconds
            FROM verdict v CROSS JOIN kernel k ON k.id = v.kernel_id
            WHERE v.audit_id = ? ORDER BY v.kernel_id)sql");
        SQLite::Statement gates(database.sqlite(), R"sql(
            SELECT gate, verdict, severity, reason, reason_code, value_class FROM gate_result WHERE verdict_id = ?)sql");
        verdicts.bind(1, auditId);
        VerdictFacts facts;
        while (verdicts.executeStep()) {
            facts.verdictId = verdicts.getColumn(0).getInt64();
            facts.kernelId = verdicts.getColumn(1).getInt64();
            facts.family = verdicts.getColumn(2).getString();
            facts.status = verdicts.getColumn(3).getString();
            facts.error = verdicts.getColumn(4).getString();
            facts.speedup = sql::optionalNumber(verdicts.getColumn(5));
            facts.outputAliasing = verdicts.getColumn(6).getInt() != 0;
            facts.elapsedSeconds = sql::optionalNumber(verdicts.getColumn(7));
            readGates(gates, facts);
            each(facts);
        }
    });
}

} // namespace assay::report

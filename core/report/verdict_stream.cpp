// SPDX-License-Identifier: Apache-2.0
#include "core/report/verdict_stream.h"

#include "core/report/sql.h"
#include "core/store/statement.h"

namespace assay::report {

namespace {

/// Ready for the next verdict; texts keep their memory.
void clear(std::array<GateFacts, contract::kGateCount>& gates)
{
    for (GateFacts& gate : gates) {
        gate.verdict = contract::Verdict::Absent;
        gate.severity = contract::Severity::None;
        gate.reason.clear();
        gate.reasonCode.clear();
        gate.valueClass = tensor::ValueClass::Absent;
    }
}

void readGates(store::Statement& gates, VerdictFacts& facts)
{
    clear(facts.gates);
    gates.integer(1, facts.verdictId);
    while (gates.step()) {
        const auto gate = contract::gateFromId(gates.textAt(0));
        if (!gate)
            continue;
        GateFacts& result = facts.gates[static_cast<std::size_t>(*gate)];
        result.verdict = contract::verdictFromName(gates.textAt(1)).value_or(contract::Verdict::Unknown);
        result.severity = contract::severityFromName(gates.textAt(2)).value_or(contract::Severity::None);
        result.reason = gates.textAt(3);
        result.reasonCode = gates.textAt(4);
        result.valueClass = tensor::valueClassFromName(gates.textAt(5));
    }
}

} // namespace

void forEachVerdict(store::Database& database, std::int64_t auditId, const std::function<void(const VerdictFacts&)>& each)
{
    sql::guarded(database, [&] {
        store::Statement verdicts(database.sqlite(), R"sql(
            SELECT v.id, v.kernel_id, k.family, v.status, v.error, COALESCE(v.speedup, k.claimed_speedup), v.output_aliasing,
                   v.elapsed_seconds
            FROM verdict v CROSS JOIN kernel k ON k.id = v.kernel_id
            WHERE v.audit_id = ? ORDER BY v.kernel_id)sql");
        store::Statement gates(database.sqlite(), R"sql(
            SELECT gate, verdict, severity, reason, reason_code, value_class FROM gate_result WHERE verdict_id = ?)sql");
        verdicts.integer(1, auditId);
        VerdictFacts facts;
        while (verdicts.step()) {
            facts.verdictId = verdicts.integerAt(0);
            facts.kernelId = verdicts.integerAt(1);
            facts.family = verdicts.textAt(2);
            facts.status = verdicts.textAt(3);
            facts.error = verdicts.textAt(4);
            facts.speedup = verdicts.isNull(5) ? std::nullopt : std::optional(verdicts.realAt(5));
            facts.outputAliasing = verdicts.integerAt(6) != 0;
            facts.elapsedSeconds = verdicts.isNull(7) ? std::nullopt : std::optional(verdicts.realAt(7));
            readGates(gates, facts);
            each(facts);
        }
    });
}

} // namespace assay::report

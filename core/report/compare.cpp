// SPDX-License-Identifier: Apache-2.0
#include "core/report/compare.h"

#include "core/report/sql.h"

#include <SQLiteCpp/Column.h>

#include <bitset>

namespace assay::report {

namespace {

using contract::Verdict;

struct OneGate {
    Verdict verdict = Verdict::Absent;
    std::string reason;
};

using Gates = std::array<OneGate, contract::kGateCount>;
using GateSet = std::bitset<contract::kGateCount>;

store::Scope auditedScope(store::Database& database, std::int64_t scopeId)
{
    store::Scope scope = sql::scopeById(database, scopeId);
    if (!scope.auditId)
        throw Error("no audit judged this corpus", scope.corpusName,
                    "Name an audit: assay report --help says how they are listed");
    return scope;
}

Verdict verdictColumn(const SQLite::Column& column)
{
    return contract::verdictFromName(column.getText()).value_or(Verdict::Unknown);
}

Gates gatesOf(SQLite::Statement& query, std::int64_t verdictId)
{
    Gates gates;
    query.reset();
    query.bind(1, verdictId);
    while (query.executeStep()) {
        if (const auto gate = contract::gateFromId(query.getColumn(0).getText()))
            gates[static_cast<std::size_t>(*gate)] = {verdictColumn(query.getColumn(1)), query.getColumn(2).getString()};
    }
    return gates;
}

std::int64_t countOnly(store::Database& database, std::int64_t here, std::int64_t there)
{
    SQLite::Statement count(database.sqlite(), R"sql(
        SELECT count(*) FROM verdict a WHERE a.audit_id = ?
        AND NOT EXISTS (SELECT 1 FROM verdict b WHERE b.audit_id = ? AND b.kernel_id = a.kernel_id))sql");
    count.bind(1, here);
    count.bind(2, there);
    count.executeStep();
    return count.getColumn(0).getInt64();
}

void countFlip(GateFlipCounts& counts, const GateFlip& flip)
{
    const bool failedBefore = contract::countsAgainstCandidate(flip.before);
    const bool failedAfter = contract::countsAgainstCandidate(flip.after);
    if (failedBefore && flip.after == Verdict::Pass)
        ++counts.failToPass;
    else if (flip.before == Verdict::Pass && failedAfter)
        ++counts.passToFail;
    else
        ++counts.other;
}

/// Adds the gates of one kernel that differ, and notes which gates either audit ran at all.
void compareGates(const Gates& before, const Gates& after, KernelFlip& flip, GateSet& ranBefore, GateSet& ranAfter)
{
    for (const contract::Gate gate : contract::kAllGates) {
        const auto at = static_cast<std::size_t>(gate);
        const bool has = before[at].verdict != Verdict::Absent;
        const bool had = after[at].verdict != Verdict::Absent;
        ranBefore[at] = ranBefore[at] || has;
        ranAfter[at] = ranAfter[at] || had;
        if (has && had && before[at].verdict != after[at].verdict)
            flip.gates.push_back({gate, before[at].verdict, after[at].verdict, before[at].reason, after[at].reason});
    }
}

std::string displayName(const store::Scope& scope)
{
    return scope.corpusName + "/" + scope.auditName;
}

} // namespace

Comparison compareAudits(store::Database& database, std::int64_t scopeBefore, std::int64_t scopeAfter)
{
    const store::Scope before = auditedScope(database, scopeBefore);
    const store::Scope after = auditedScope(database, scopeAfter);
    Comparison result;
    result.before = displayName(before);
    result.after = displayName(after);
    GateSet ranBefore, ranAfter;
    sql::guarded(database, [&] {
        result.onlyBefore = countOnly(database, *before.auditId, *after.auditId);
        result.onlyAfter = countOnly(database, *after.auditId, *before.auditId);
        SQLite::Statement pairs(database.sqlite(), R"sql(
            SELECT a.kernel_id, k.external_id, k.title, a.id, a.outcome, a.finding, b.id, b.outcome, b.finding
            FROM verdict a CROSS JOIN verdict b ON b.kernel_id = a.kernel_id AND b.audit_id = ?2 CROSS JOIN kernel k ON k.id = a.kernel_id
            WHERE a.audit_id = ?1 ORDER BY a.kernel_id)sql");
        pairs.bind(1, *before.auditId);
        pairs.bind(2, *after.auditId);
        SQLite::Statement gates(database.sqlite(), R"sql(
            SELECT gate, verdict, COALESCE(reason, finding, '') FROM gate_result WHERE verdict_id = ?)sql");
        while (pairs.executeStep()) {
            ++result.joined;
            KernelFlip flip;
            flip.kernelId = pairs.getColumn(0).getInt64();
            flip.externalId = pairs.getColumn(1).getString();
            flip.title = pairs.getColumn(2).getString();
            flip.before = verdictColumn(pairs.getColumn(4));
            flip.findingBefore = pairs.getColumn(5).getString();
            flip.after = verdictColumn(pairs.getColumn(7));
            flip.findingAfter = pairs.getColumn(8).getString();
            const Gates gatesBefore = gatesOf(gates, pairs.getColumn(3).getInt64());
            const Gates gatesAfter = gatesOf(gates, pairs.getColumn(6).getInt64());
            compareGates(gatesBefore, gatesAfter, flip, ranBefore, ranAfter);
            if (!flip.verdictFlipped() && flip.gates.empty())
                continue;
            result.verdictFlips += flip.verdictFlipped();
            for (const GateFlip& gate : flip.gates)
                countFlip(result.perGate[static_cast<std::size_t>(gate.gate)], gate);
            result.flips.push_back(std::move(flip));
        }
    });
    for (const contract::Gate gate : contract::kAllGates) {
        if (ranBefore[static_cast<std::size_t>(gate)] != ranAfter[static_cast<std::size_t>(gate)])
            result.gatesOfOneAudit.push_back(gate);
    }
    return result;
}

} // namespace assay::report

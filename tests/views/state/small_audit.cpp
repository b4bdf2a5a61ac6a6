// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/state/small_audit.h"

#include "core/store/corpus_writer.h"

namespace assay::tests {

namespace {

store::VerdictRecord verdict(bool fails)
{
    store::VerdictRecord record;
    record.status = "gated";
    record.outcome = fails ? contract::Verdict::Fail : contract::Verdict::Pass;
    record.severity = fails ? contract::Severity::Hard : contract::Severity::None;
    record.accepted = true;
    record.audited = true;
    record.toleranceFree = fails;
    record.anyViolation = fails;
    for (const contract::Gate gate : contract::kAllGates) {
        const bool here = fails && gate == contract::Gate::Exc01;
        store::GateRecord result;
        result.gate = gate;
        result.verdict = here ? contract::Verdict::Fail : contract::Verdict::Pass;
        result.severity = here ? contract::Severity::Hard : contract::Severity::None;
        result.reasonCode = here ? "nan_mask" : "";
        record.gates.push_back(result);
    }
    return record;
}

void write(store::Database& database, const std::string& audit, const std::string& origin, int first, int last, bool mayFail)
{
    const std::string name = audit + "-" + std::to_string(first);
    store::CorpusWriter writer(database, {"demo", origin, {}, "audit-rows", {}}, {name + ".jsonl", name});
    store::AuditRecord record;
    record.name = audit;
    record.origin = origin == "illustrative" ? origin : "published";
    record.device = "B200";
    writer.setAudit(record);
    for (int i = first; i <= last; ++i) {
        store::ImportedItem item;
        item.kernel.externalId = std::to_string(i);
        item.kernel.title = "kernel " + item.kernel.externalId;
        item.kernel.family = "scan";
        item.kernel.language = "triton";
        item.kernel.claimStatus = "accepted";
        item.verdict = verdict(mayFail && i % 3 == 0);
        item.line = i;
        item.rowBytes = audit + "/" + item.kernel.externalId;
        writer.add(item);
    }
    writer.commit();
}

} // namespace

std::unique_ptr<store::Database> makeSmallAudit(const std::filesystem::path& path, int kernels, const std::string& origin)
{
    auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    write(*database, "first", origin, 1, kernels, true);
    return database;
}

void addSecondAudit(store::Database& database)
{
    write(database, "later", "import", 1, 9, false);
}

void addKernel(store::Database& database, int externalId)
{
    write(database, "first", "import", externalId, externalId, false);
}

std::string auditRowText(int externalId, bool fails)
{
    return R"({"id": ")" + std::to_string(externalId) + R"(", "op_class": "scan", "status": "gated", "final_speedup": 2.0, )"
        + R"("gates": {"EXC-01": {"status": ")" + (fails ? "fail" : "pass") + R"(", "skipped": 0, "reason": ")"
        + (fails ? "NaN mask differs" : "") + "\"}}}\n";
}

} // namespace assay::tests

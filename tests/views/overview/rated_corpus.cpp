// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/overview/rated_corpus.h"

#include "core/store/corpus_writer.h"
#include "core/store/database.h"

#include <limits>

namespace assay::tests {

namespace {

using contract::Gate;
using contract::Severity;
using contract::Verdict;

struct Kernel {
    const char* id;
    const char* family;
    std::vector<store::GateRecord> notPassing = {};
    bool toleranceFree = false;
    bool violation = false;
    const char* baseline = "fail";
    bool accepted = true;
    bool aliasing = false;
};

store::GateRecord gate(Gate id, Verdict verdict, Severity severity = Severity::None, const char* reason = "")
{
    store::GateRecord record;
    record.gate = id;
    record.verdict = verdict;
    record.severity = severity;
    record.reason = reason;
    return record;
}

store::GateRecord softFailure(Gate id, double value, double threshold, double relative, const char* reason = "")
{
    store::GateRecord record = gate(id, Verdict::Fail, Severity::Soft, reason);
    record.metric = "max_abs_error";
    record.reasonCode = "value";
    record.value = tensor::measured(value);
    record.threshold = tensor::measured(threshold);
    record.relative = tensor::measured(relative);
    return record;
}

std::vector<Kernel> nine()
{
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const store::GateRecord nanMask = gate(Gate::Exc01, Verdict::Fail, Severity::Hard, "scattered_nan: NaN mask mismatch");
    return {
        {"1", "scan", {}, false, false, "pass"},
        {"2", "scan", {nanMask}, true, true, "pass"},
        {"3",
         "scan",
         {softFailure(Gate::Cmp01, 1.121e22, 6.053e21, 8e-5), softFailure(Gate::Prc02, kInf, 2.81e24, kInf)},
         false,
         true},
        {"4", "norm", {nanMask, softFailure(Gate::Cmp01, 0.5, 0.1, 0.02)}, true, true},
        {"5", "norm", {gate(Gate::Cmp03, Verdict::Inapplicable)}},
        {"6", "matmul", {gate(Gate::Exc01, Verdict::Error)}},
        {"7", "conv", {}, false, false, "fail", false},
        {"8", "conv", {}, true, false, "fail", true, true},
        {"9",
         "softmax",
         {gate(Gate::Ord02, Verdict::Fail, Severity::Hard, "run 0 and run 1 differ (non-deterministic)"),
          softFailure(Gate::Ord01, kNaN, 1e-6, kNaN, "max_err=nan > atol=1.000e-06")},
         true,
         true},
    };
}

store::ImportedItem item(const Kernel& kernel)
{
    store::ImportedItem item;
    item.kernel.externalId = kernel.id;
    item.kernel.title = std::string(kernel.family) + " " + kernel.id;
    item.kernel.family = kernel.family;
    item.kernel.language = "triton";
    item.kernel.claimStatus = kernel.accepted ? "accepted" : "rejected";
    item.rowBytes = std::string("row ") + kernel.id;
    store::VerdictRecord& verdict = item.verdict.emplace();
    verdict.status = "gated";
    verdict.outcome = kernel.violation ? Verdict::Fail : Verdict::Pass;
    verdict.severity = kernel.toleranceFree ? Severity::Hard : kernel.violation ? Severity::Soft : Severity::None;
    for (const Gate id : contract::kAllGates)
        verdict.gates.push_back(gate(id, Verdict::Pass));
    for (const store::GateRecord& other : kernel.notPassing)
        verdict.gates[static_cast<std::size_t>(contract::indexOf(other.gate))] = other;
    verdict.baselines = {{"kernelbench", kernel.baseline, "", ""}};
    verdict.elapsedSeconds = 9.5;
    verdict.speedup = kernel.accepted ? 1.25 : 0.0;
    verdict.outputAliasing = kernel.aliasing;
    verdict.accepted = verdict.audited = kernel.accepted;
    verdict.toleranceFree = kernel.toleranceFree;
    verdict.anyViolation = kernel.violation;
    return item;
}

} // namespace

void writeRatedCorpus(const std::filesystem::path& path)
{
    const auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    store::CorpusWriter writer(*database, {"demo", "import", "", "test", ""}, {"demo.jsonl", "00"});
    store::AuditRecord audit;
    audit.name = "first";
    writer.setAudit(audit);
    for (const Kernel& kernel : nine())
        writer.add(item(kernel));
    writer.commit();
}

} // namespace assay::tests

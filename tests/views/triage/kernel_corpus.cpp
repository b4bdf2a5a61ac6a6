// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/triage/kernel_corpus.h"

#include "core/store/corpus_writer.h"
#include "core/store/kernel_details.h"
#include "core/store/triage.h"

#include <QtTest>

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace assay::tests {

namespace {

using contract::Gate;
using contract::Severity;
using contract::Verdict;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Kernel {
    const char* id;
    const char* family;
    const char* language = "triton";
    std::vector<store::GateRecord> notPassing = {};
    const char* baseline = "fail";
};

store::GateRecord gate(Gate id, Verdict verdict, Severity severity, const char* reason)
{
    store::GateRecord record;
    record.gate = id;
    record.verdict = verdict;
    record.severity = severity;
    record.reasonCode = reason;
    return record;
}

store::GateRecord softFailure(Gate id, double value, double threshold, double relative)
{
    store::GateRecord record = gate(id, Verdict::Fail, Severity::Soft, "value");
    record.metric = "max_abs_error";
    record.value = tensor::measured(value);
    record.threshold = tensor::measured(threshold);
    record.relative = tensor::measured(relative);
    record.finding = "The error is larger than the tolerance.";
    return record;
}

std::vector<Kernel> twelve()
{
    return {
        {"1", "scan", "triton", {}, "pass"},
        {"2", "scan", "triton", {gate(Gate::Exc01, Verdict::Fail, Severity::Hard, "nan_mask")}, "pass"},
        {"3",
         "scan",
         "triton",
         {softFailure(Gate::Cmp01, 1.121e22, 6.053e21, 8e-5), softFailure(Gate::Prc02, kInf, 2.81e24, kInf)}},
        {"4", "norm", "triton", {gate(Gate::Res01, Verdict::Crash, Severity::None, "cuda_error")}},
        {"5", "norm", "triton", {gate(Gate::Exc01, Verdict::Error, Severity::None, "exception")}},
        {"6", "matmul", "triton", {softFailure(Gate::Cmp01, 0.5, 0.1, 0.02)}},
        {"7", "matmul", "triton", {softFailure(Gate::Ord01, kNaN, 0.1, kNaN)}},
        {"8",
         "matmul",
         "triton",
         {gate(Gate::Prc01, Verdict::Unsupported, Severity::None, ""),
          gate(Gate::Cmp03, Verdict::Inapplicable, Severity::None, ""),
          gate(Gate::Exc02, Verdict::NotExercised, Severity::None, "")}},
        {"9",
         "conv",
         "triton",
         {gate(Gate::Exc01, Verdict::Fail, Severity::Hard, "inf_mask"), softFailure(Gate::Cmp01, 2e-3, 1e-3, 2e-3)},
         "pass"},
        {"10", "conv"},
        {"11", "conv"},
        {"12", "conv", "cuda"},
    };
}

store::ImportedItem item(const Kernel& kernel)
{
    store::ImportedItem item;
    item.kernel.externalId = kernel.id;
    item.kernel.title = std::string(kernel.family) + "_kernel_" + kernel.id;
    item.kernel.family = kernel.family;
    item.kernel.language = kernel.language;
    item.kernel.claimStatus = "accepted";
    item.rowBytes = std::string("row ") + kernel.id;
    store::VerdictRecord verdict;
    verdict.status = "gated";
    verdict.outcome = Verdict::Pass;
    for (const Gate id : contract::kAllGates)
        verdict.gates.push_back(gate(id, Verdict::Pass, Severity::None, ""));
    for (const store::GateRecord& other : kernel.notPassing) {
        verdict.gates[static_cast<std::size_t>(contract::indexOf(other.gate))] = other;
        if (contract::countsAgainstCandidate(other.verdict) || other.verdict == Verdict::Error) {
            const bool keepsWorst = verdict.outcome != Verdict::Pass && verdict.severity == Severity::Hard;
            verdict.outcome = keepsWorst ? verdict.outcome : other.verdict;
            verdict.severity = keepsWorst ? verdict.severity : other.severity;
        }
    }
    verdict.baselines.push_back({"kernelbench", kernel.baseline, "", ""});
    verdict.elapsedSeconds = 9.5;
    verdict.speedup = 1.25;
    verdict.accepted = true;
    verdict.audited = true;
    item.verdict = verdict;
    return item;
}

} // namespace

void writeTwelveKernels(const std::filesystem::path& path)
{
    const auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    store::CorpusWriter writer(*database, {"demo", "import", "", "test", ""}, {"demo.jsonl", "00"});
    store::AuditRecord audit;
    audit.name = "first";
    writer.setAudit(audit);
    for (const Kernel& kernel : twelve())
        writer.add(item(kernel));
    writer.commit();
}

void writeManyKernels(const std::filesystem::path& path, int count)
{
    constexpr std::array kFamilies = {"scan", "norm", "matmul", "conv"};
    const auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    store::CorpusWriter writer(*database, {"many", "import", "", "test", ""}, {"many.jsonl", "00"});
    store::AuditRecord audit;
    audit.name = "first";
    writer.setAudit(audit);
    for (int i = 1; i <= count; ++i) {
        store::ImportedItem item;
        item.kernel.externalId = std::to_string(i);
        item.kernel.title = "kernel " + item.kernel.externalId;
        item.kernel.family = kFamilies[static_cast<std::size_t>(i) % kFamilies.size()];
        item.kernel.language = "triton";
        item.rowBytes = item.kernel.externalId;
        const bool fails = i % 3 == 0;
        store::VerdictRecord verdict;
        verdict.status = "gated";
        verdict.outcome = fails ? Verdict::Fail : Verdict::Pass;
        verdict.severity = fails ? Severity::Hard : Severity::None;
        verdict.gates = {gate(Gate::Exc01, verdict.outcome, verdict.severity, fails ? "nan_mask" : "")};
        item.verdict = std::move(verdict);
        writer.add(item);
    }
    writer.commit();
}

void Window::openTwelve()
{
    writeTwelveKernels(views::toFilesystemPath(databasePath()));
    QVERIFY(workspace.open(databasePath()));
}

void Window::openMany(int count)
{
    writeManyKernels(views::toFilesystemPath(databasePath()), count);
    QVERIFY(workspace.open(databasePath()));
}

std::unique_ptr<store::Database> Window::otherProcess() const
{
    return store::Database::open(views::toFilesystemPath(databasePath()), store::OpenMode::ReadWrite);
}

std::int64_t kernelId(store::Database& database, const char* externalId)
{
    return store::findKernel(database, store::scopes(database).front().id, externalId).value_or(0);
}

} // namespace assay::tests

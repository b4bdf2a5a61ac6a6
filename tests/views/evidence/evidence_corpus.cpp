// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/evidence/evidence_corpus.h"

#include "core/store/corpus_writer.h"
#include "core/store/database.h"

#include <limits>

namespace assay::tests {

namespace {

using contract::Gate;
using contract::Severity;
using contract::Verdict;

constexpr double kInf = std::numeric_limits<double>::infinity();

store::CheckRecord check(const char* stimulus, Verdict verdict, double value)
{
    store::CheckRecord record;
    record.code = "CMP-01.value";
    record.stimulus = stimulus;
    record.verdict = verdict;
    record.severity = verdict == Verdict::Fail ? Severity::Soft : Severity::None;
    record.metric = "max_abs_error";
    record.value = tensor::measured(value);
    record.threshold = tensor::measured(6.053e21);
    record.relative = tensor::measured(value / 1.4e26);
    record.reasonCode = verdict == Verdict::Fail ? "value" : "";
    return record;
}

store::GateRecord valueGate()
{
    store::GateRecord gate;
    gate.gate = Gate::Cmp01;
    gate.verdict = Verdict::Fail;
    gate.severity = Severity::Soft;
    gate.exercised = 12;
    gate.total = 13;
    gate.metric = "max_abs_error";
    gate.value = tensor::measured(1.121e22);
    gate.threshold = tensor::measured(6.053e21);
    gate.relative = tensor::measured(1.121e22 / 1.4e26);
    gate.reasonCode = "value";
    gate.reason = "random[0]: max_err=1.121e+22 > atol=6.053e+21 (scaled)";
    gate.finding = "The largest error is 1.1e+22, 8.0e-05 of the output's scale.";
    gate.checks = {check("random[0]", Verdict::Fail, 1.121e22), check("random[1]", Verdict::Pass, 2.0e21),
                   check("zeros", Verdict::Pass, 0.0)};
    return gate;
}

store::GateRecord infiniteGate()
{
    store::GateRecord gate;
    gate.gate = Gate::Prc02;
    gate.verdict = Verdict::Fail;
    gate.severity = Severity::Soft;
    gate.metric = "max_abs_error";
    gate.value = tensor::measured(kInf);
    gate.threshold = tensor::measured(2.81e24);
    gate.reasonCode = "value";
    gate.reason = "max_err=inf exceeds atol=2.810e+24";
    return gate;
}

store::GateRecord plainGate(Gate id, Verdict verdict, Severity severity = Severity::None, const char* reason = "")
{
    store::GateRecord gate;
    gate.gate = id;
    gate.verdict = verdict;
    gate.severity = severity;
    gate.reason = reason;
    gate.reasonCode = *reason ? "nan_mask" : "";
    return gate;
}

store::ImportedItem kernel(const char* id, const char* family, Verdict outcome, Severity severity)
{
    store::ImportedItem item;
    item.kernel.externalId = id;
    item.kernel.title = std::string(family) + "_forward";
    item.kernel.family = family;
    item.kernel.language = "triton";
    item.kernel.claimStatus = "accepted";
    item.rowBytes = std::string("row ") + id;
    item.verdict.emplace();
    item.verdict->status = "gated";
    item.verdict->outcome = outcome;
    item.verdict->severity = severity;
    item.verdict->accepted = item.verdict->audited = true;
    return item;
}

store::ImportedItem scan()
{
    store::ImportedItem item = kernel("179", "scan", Verdict::Fail, Severity::Soft);
    item.kernel.candidateSource = scanCandidate();
    item.kernel.referenceSource = scanReference();
    item.kernel.claim = R"({"correct":true,"speedup":2.080,"note":"a \"quoted\" word","trials":[5,5]})";
    item.kernel.claimedCorrect = true;
    item.kernel.claimedSpeedup = 2.08;
    item.kernel.hardware = "NVIDIA B200";
    item.kernel.path = "kernels/scan_179.py";
    item.verdict->gates = {valueGate(), plainGate(Gate::Exc01, Verdict::Pass), infiniteGate()};
    item.verdict->nativeShape = {{64, 128}};
    item.verdict->speedup = 2.08;
    item.verdict->elapsedSeconds = 12.5;
    item.verdict->finding = "CMP-01: the error of random[0] is 1.9 times the allowed, 8.0e-05 of the output's scale.";
    item.verdict->baselines = {{"kernelbench-paper", "pass", "(5 / 5)", ""}};
    item.verdict->anyViolation = true;
    return item;
}

} // namespace

const std::string& scanCandidate()
{
    static const std::string text = "import torch\n"
                                    "import triton\n"
                                    "import triton.language as tl\n"
                                    "\n"
                                    "@triton.jit\n"
                                    "def scan_kernel(x, out, n, BLOCK: tl.constexpr):\n"
                                    "    offsets = tl.arange(0, BLOCK)\n"
                                    "    value = tl.load(x + offsets, mask=offsets < n, other=0.0)\n"
                                    "    largest = tl.max(value, axis=0)\n"
                                    "    clipped = tl.maximum(value, 0.0)\n"
                                    "    tl.store(out + offsets, clipped, mask=offsets < n)\n"
                                    "\n"
                                    "class ModelNew(torch.nn.Module):\n"
                                    "    def forward(self, x):\n"
                                    "        return torch.cumprod(x, dim=1)\n";
    return text;
}

const std::string& scanReference()
{
    static const std::string text = "import torch\n"
                                    "\n"
                                    "class Model(torch.nn.Module):\n"
                                    "    def forward(self, x):\n"
                                    "        return torch.cumprod(x, dim=1)\n";
    return text;
}

void writeEvidenceCorpus(const std::filesystem::path& path)
{
    const auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    store::CorpusWriter writer(*database, {"demo", "import", "", "test", ""}, {"demo.jsonl", "00"});
    store::AuditRecord audit;
    audit.name = "first";
    audit.device = "NVIDIA B200";
    writer.setAudit(audit);
    writer.add(scan());

    store::ImportedItem softmax = kernel("200", "softmax", Verdict::Fail, Severity::Hard);
    softmax.verdict->gates = {plainGate(Gate::Cmp01, Verdict::Pass),
                              plainGate(Gate::Exc01, Verdict::Fail, Severity::Hard, "scattered_nan: NaN mask mismatch")};
    softmax.verdict->toleranceFree = softmax.verdict->anyViolation = true;
    writer.add(softmax);

    store::ImportedItem norm = kernel("201", "norm", Verdict::Error, Severity::None);
    norm.verdict->error = "RuntimeError: no such device\n  at line 2";
    norm.verdict->status = "sandbox_other";
    writer.add(norm);

    store::ImportedItem matmul = kernel("202", "matmul", Verdict::Pass, Severity::None);
    matmul.kernel.candidateSource = "import torch\nprint('only me')\n";
    matmul.verdict->gates = {plainGate(Gate::Cmp01, Verdict::Pass)};
    writer.add(matmul);
    writer.commit();
}

} // namespace assay::tests

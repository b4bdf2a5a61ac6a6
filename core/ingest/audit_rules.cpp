// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/audit_rules.h"

#include "core/ingest/finding.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::ingest {

namespace {

using contract::Gate;
using contract::Severity;
using contract::Verdict;

constexpr std::string_view kGated = "gated";
constexpr std::string_view kCudaError = "CUDA error";

bool referenceCannotBeAsked(std::string_view status)
{
    return status == "ref_broken" || status == "not_auditable";
}

/// Statuses of a candidate that never reached the gates.
bool isPreGate(std::string_view status)
{
    return status.starts_with("cand_") || status.starts_with("sandbox_");
}

bool anyGate(const store::VerdictRecord& verdict, bool (*is)(const store::GateRecord&))
{
    return std::any_of(verdict.gates.begin(), verdict.gates.end(), is);
}

bool mentionsCudaError(const store::GateRecord& gate)
{
    return gate.reason.find(kCudaError) != std::string::npos;
}

bool failsHardGate(const store::GateRecord& gate)
{
    return gate.verdict == Verdict::Fail && (gate.gate == Gate::Exc01 || gate.gate == Gate::Ord02);
}

bool fails(const store::GateRecord& gate)
{
    return gate.verdict == Verdict::Fail;
}

void setMembership(store::VerdictRecord& verdict, bool preGate, bool artifact)
{
    const bool gated = verdict.status == kGated;
    const bool crash = anyGate(verdict, mentionsCudaError);
    verdict.accepted = verdict.speedup.value_or(0.0) > 0.0;
    verdict.audited = verdict.accepted && (gated || preGate) && !artifact;
    verdict.anyViolation = verdict.audited && (preGate || crash || anyGate(verdict, fails));
    verdict.toleranceFree
        = verdict.audited && (preGate || crash || anyGate(verdict, failsHardGate) || verdict.outputAliasing.value_or(false));
}

/// The error's text after what happened, or nothing where none is recorded.
std::string withError(std::string_view what, const store::VerdictRecord& verdict)
{
    const std::string line = firstLine(verdict.error.value_or(""));
    return line.empty() ? fmt::format("{}.", what) : fmt::format("{}: {}", what, line);
}

void judgeGated(store::VerdictRecord& verdict)
{
    const auto crash = std::find_if(verdict.gates.begin(), verdict.gates.end(), mentionsCudaError);
    if (crash != verdict.gates.end()) {
        verdict.outcome = Verdict::Crash;
        verdict.severity = Severity::Hard;
        verdict.finding = crash->finding;
        return;
    }
    const store::GateRecord* lead = leadingGate(verdict);
    if (lead != nullptr) {
        verdict.outcome = Verdict::Fail;
        verdict.severity = lead->severity;
        verdict.finding = lead->finding;
        return;
    }
    verdict.outcome = Verdict::Pass;
    if (verdict.outputAliasing.value_or(false)) {
        // In the audit's floor but not among its violations: said, and not turned into a failure.
        verdict.severity = Severity::Note;
        verdict.finding = "No gate fails, but an output shares storage with another tensor.";
    }
}

void judgePreGate(store::VerdictRecord& verdict)
{
    verdict.severity = Severity::Hard;
    if (verdict.status.ends_with("_timeout")) {
        verdict.outcome = Verdict::Timeout;
        verdict.finding = withError("Did not finish within the audit's time limit", verdict);
        return;
    }
    verdict.outcome = Verdict::Crash;
    const bool load = verdict.status == "cand_load_fail";
    verdict.finding = withError(load ? "Fails to load" : "Fails to run on the problem's own input", verdict);
}

} // namespace

bool isToolchainArtifact(std::string_view status, std::string_view error)
{
    if (status == "sandbox_other")
        return error.find("unpickle error") != std::string_view::npos;
    if (status != "cand_native_fail")
        return false;
    for (const std::string_view start : {"CompilationError", "UnsupportedLanguageConstruct", "OutOfResources", "PTXASError"}) {
        if (error.starts_with(start))
            return true;
    }
    return false;
}

void setGateVerdict(store::GateRecord& gate)
{
    if (gate.legacyStatus == "pass") {
        gate.verdict = Verdict::Pass;
    } else if (gate.legacyStatus == "fail") {
        gate.verdict = Verdict::Fail;
        gate.severity = gate.gate == Gate::Exc01 || gate.gate == Gate::Ord02 ? Severity::Hard : Severity::Soft;
    } else if (gate.legacyStatus == "na") {
        gate.verdict = Verdict::Inapplicable;
    } else if (gate.legacyStatus == "error") {
        // A CUDA error too: it poisons the context, so that every later gate of the process reports it. The crash is the
        // kernel's (judgeGated, setMembership); counting it as a failure of each gate would give other figures than published.
        gate.verdict = Verdict::Error;
    } else {
        gate.verdict = Verdict::Unknown;
    }
}

void applyPublishedRules(store::VerdictRecord& verdict)
{
    const bool artifact = isToolchainArtifact(verdict.status, verdict.error.value_or(""));
    const bool preGate = isPreGate(verdict.status) && !artifact;
    setMembership(verdict, preGate, artifact);
    if (verdict.status == kGated) {
        judgeGated(verdict);
    } else if (artifact) {
        verdict.outcome = Verdict::Error;
        verdict.finding = withError("Could not be judged, the toolchain did not build it", verdict);
    } else if (referenceCannotBeAsked(verdict.status)) {
        verdict.outcome = Verdict::Inapplicable;
        verdict.finding = withError("The reference cannot be asked", verdict);
    } else if (preGate) {
        judgePreGate(verdict);
    } else {
        verdict.outcome = Verdict::Unknown;
        verdict.finding
            = withError(fmt::format("The audit says \"{}\", which Assay does not know", firstLine(verdict.status)), verdict);
    }
}

} // namespace assay::ingest

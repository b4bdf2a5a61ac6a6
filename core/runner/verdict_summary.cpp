// SPDX-License-Identifier: Apache-2.0
#include "core/runner/verdict_summary.h"

#include <algorithm>

namespace assay::runner {

namespace {

using contract::Severity;

GateSummary summaryOf(const contract::GateResult& result)
{
    const bool noted = result.severity == Severity::Note
        || std::ranges::find(result.checks, Severity::Note, &contract::CheckResult::severity) != result.checks.end();
    return {result.verdict, result.severity, result.exercised, result.total, result.finding, noted};
}

/// The version of torch in the JSON object @p versions, "" where it has none.
std::string torchIn(const std::string& versions)
{
    json::Document document;
    if (versions.empty() || json::parse(versions, document))
        return "";
    return json::stringAt(document, "torch").value_or("");
}

} // namespace

VerdictSummary summaryOf(const ReceivedVerdict& received)
{
    const contract::Judgement& judgement = received.judged.judgement;
    VerdictSummary summary;
    summary.verdict = judgement.verdict;
    summary.reason = judgement.reason;
    summary.seconds = judgement.seconds;
    summary.excess = received.excess;
    summary.versions = received.key.versions;
    summary.deviceName = received.deviceName;
    summary.torch = torchIn(received.key.versions);
    std::ranges::transform(judgement.gates, summary.gates.begin(), [](const auto& result) { return summaryOf(result); });
    for (const contract::Flag& flag : judgement.flags)
        summary.of(flag.gate).noted = true;
    return summary;
}

} // namespace assay::runner

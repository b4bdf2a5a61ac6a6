// SPDX-License-Identifier: Apache-2.0
#include "core/contract/fold.h"

#include "core/contract/gate_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::contract {

namespace {

/// True where the gate was asked, or where there was nothing to ask.
bool isAnswered(const GateResult& result)
{
    switch (result.verdict) {
    case Verdict::Timeout:
        return result.severity == Severity::Hard; // a soft one is of a candidate too slow to be asked
    case Verdict::Pass:
    case Verdict::Fail:
    case Verdict::Crash:
    case Verdict::Inapplicable:
    case Verdict::Unsupported:
        return true;
    case Verdict::Absent:
    case Verdict::NotExercised:
    case Verdict::Unknown:
    case Verdict::Error:
        return false;
    }
    return false;
}

/// Gates that were not asked for the same reason share a sentence: a spent budget cuts many.
class Unasked {
public:
    void add(const GateResult& result)
    {
        const std::string_view why = result.finding.empty() ? "No result is recorded." : std::string_view(result.finding);
        const auto known = std::ranges::find(m_gates, why, &Entry::first);
        if (known == m_gates.end())
            m_gates.push_back({why, {id(result.gate)}});
        else
            known->second.push_back(id(result.gate));
    }

    bool isEmpty() const { return m_gates.empty(); }

    std::string text() const
    {
        std::vector<std::string> sentences;
        for (const auto& [why, gates] : m_gates)
            sentences.push_back(fmt::format("{} {} and could not be asked: {}", fmt::join(gates, ", "),
                                            gates.size() == 1 ? "applies" : "apply", why));
        return fmt::format("{}", fmt::join(sentences, " "));
    }

private:
    using Entry = std::pair<std::string_view, std::vector<std::string_view>>;
    std::vector<Entry> m_gates;
};

} // namespace

void foldGates(Judgement& judgement, const Contract& contract)
{
    bool failed = false;
    Unasked unasked;
    const GateResult* worst = nullptr;
    for (const GateResult& result : judgement.gates) {
        if (!contract.gates.contains(result.gate))
            continue;
        if (!isAnswered(result))
            unasked.add(result);
        if (!countsAgainstCandidate(result.verdict))
            continue;
        const bool hard = result.severity == Severity::Hard;
        judgement.hardFailed = judgement.hardFailed || hard;
        failed = failed || hard || contract.softFailures == Contract::SoftFailures::Fail;
        if (worst == nullptr || badness(result.verdict, result.severity) > badness(worst->verdict, worst->severity))
            worst = &result;
    }
    const bool exercised = std::ranges::any_of(judgement.gates, [](const GateResult& result) { return result.exercised > 0; });
    judgement.verdict = failed ? Verdict::Fail : (!unasked.isEmpty() || !exercised ? Verdict::Error : Verdict::Pass);
    if (judgement.verdict == Verdict::Error)
        judgement.reason = unasked.isEmpty() ? "No check could be exercised." : unasked.text();
    else if (worst != nullptr)
        judgement.reason = worst->finding;
}

} // namespace assay::contract

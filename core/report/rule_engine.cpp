// SPDX-License-Identifier: Apache-2.0
#include "core/report/rule_engine.h"

#include <algorithm>

namespace assay::report {

namespace {

using Forgiven = std::array<bool, contract::kGateCount>;

bool contains(const std::vector<std::string>& values, std::string_view wanted)
{
    return std::find(values.begin(), values.end(), wanted) != values.end();
}

bool anyGateMatches(const GateCondition& condition, const VerdictFacts& facts, const Forgiven& forgiven)
{
    const auto holds = [&](contract::Gate gate) {
        const auto at = static_cast<std::size_t>(gate);
        return !forgiven[at] && condition.matches(facts.gates[at]);
    };
    if (condition.gate)
        return holds(*condition.gate);
    return std::any_of(contract::kAllGates.begin(), contract::kAllGates.end(), holds);
}

bool isArtifact(const ArtifactRule& rule, const VerdictFacts& facts)
{
    if (rule.status != facts.status)
        return false;
    const auto starts = [&](const std::string& prefix) { return facts.error.starts_with(prefix); };
    const auto holds = [&](const std::string& part) { return facts.error.find(part) != std::string::npos; };
    return std::any_of(rule.errorPrefixes.begin(), rule.errorPrefixes.end(), starts)
        || std::any_of(rule.errorContains.begin(), rule.errorContains.end(), holds);
}

Forgiven forgivenGates(const Rules& rules, const VerdictFacts& facts)
{
    Forgiven forgiven{};
    for (const Forgiveness& rule : rules.forgiveness) {
        const bool applies = std::all_of(rule.when.begin(), rule.when.end(),
                                         [&](const GateCondition& condition) { return anyGateMatches(condition, facts, {}); });
        if (!applies)
            continue;
        for (const contract::Gate gate : contract::kAllGates) {
            const auto at = static_cast<std::size_t>(gate);
            const bool matched = std::any_of(rule.gates.begin(), rule.gates.end(), [&](const GateCondition& condition) {
                return (!condition.gate || *condition.gate == gate) && condition.matches(facts.gates[at]);
            });
            // Only what counted against the kernel can be forgiven.
            if (matched && contract::countsAgainstCandidate(facts.gates[at].verdict))
                forgiven[at] = true;
        }
    }
    return forgiven;
}

bool hits(const Channel& channel, const VerdictFacts& facts, const Forgiven& forgiven, bool inFloor)
{
    switch (channel.kind) {
    case Channel::Kind::Gate:
        return anyGateMatches(channel.gate, facts, forgiven);
    case Channel::Kind::Status:
        return contains(channel.statuses, facts.status);
    case Channel::Kind::StatusNot:
        return !contains(channel.statuses, facts.status);
    case Channel::Kind::OutputAliasing:
        return facts.outputAliasing;
    case Channel::Kind::Floor:
        return inFloor;
    }
    return false;
}

} // namespace

bool GateCondition::matches(const GateFacts& facts) const
{
    if (facts.verdict == contract::Verdict::Absent)
        return false;
    if (!verdicts.empty() && std::find(verdicts.begin(), verdicts.end(), facts.verdict) == verdicts.end())
        return false;
    if (!reasonContains.empty() && facts.reason.find(reasonContains) == std::string::npos)
        return false;
    if (!reasonCode.empty() && facts.reasonCode != reasonCode)
        return false;
    return valueClass == tensor::ValueClass::Absent || valueClass == facts.valueClass;
}

bool isExecutable(const Rules& rules, std::string_view status)
{
    return !contains(rules.excludedStatuses, status);
}

RuleOutcome evaluate(const Rules& rules, const VerdictFacts& facts)
{
    RuleOutcome outcome;
    outcome.kernelId = facts.kernelId;
    outcome.accepted = facts.speedup && *facts.speedup > rules.speedupAbove;
    const bool artifact = std::any_of(rules.artifacts.begin(), rules.artifacts.end(),
                                      [&](const ArtifactRule& rule) { return isArtifact(rule, facts); });
    outcome.audited = outcome.accepted && isExecutable(rules, facts.status) && !artifact;

    const Forgiven forgiven = forgivenGates(rules, facts);
    for (const contract::Gate gate : contract::kAllGates) {
        const auto at = static_cast<std::size_t>(gate);
        if (forgiven[at])
            outcome.forgiven.emplace_back(contract::id(gate));
        else if (contract::countsAgainstCandidate(facts.gates[at].verdict))
            outcome.failMask |= 1 << at;
    }
    const auto among = [&](const std::vector<Channel>& channels, bool inFloor) {
        return std::any_of(channels.begin(), channels.end(), [&](const Channel& c) { return hits(c, facts, forgiven, inFloor); });
    };
    // Both are shares of the audited rows; a row outside the denominator is in neither.
    outcome.toleranceFree = outcome.audited && among(rules.floor, false);
    outcome.anyViolation = outcome.audited && among(rules.violations, outcome.toleranceFree);
    return outcome;
}

contract::GateStrip stripUnder(const RuleOutcome& outcome, const VerdictFacts& facts)
{
    contract::GateStrip strip;
    for (const contract::Gate gate : contract::kAllGates) {
        const GateFacts& result = facts.gates[static_cast<std::size_t>(gate)];
        const bool forgiven = contains(outcome.forgiven, contract::id(gate));
        strip.set(gate, forgiven ? contract::StripCell::Pass : contract::stripCell(result.verdict, result.severity));
    }
    return strip;
}

} // namespace assay::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/contract/gate_strip.h"
#include "core/contract/verdict.h"
#include "core/report/rule_set.h"
#include "kernels/tensor/measured.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The one engine that evaluates every rule set: the rules are data, this only matches them against facts.
namespace assay::report {

/// What a rule may look at in one gate's result.
struct GateFacts {
    contract::Verdict verdict = contract::Verdict::Absent;
    contract::Severity severity = contract::Severity::None;
    std::string reason; ///< verbatim
    std::string reasonCode;
    tensor::ValueClass valueClass = tensor::ValueClass::Absent;
};

/// What a rule may look at in one verdict.
struct VerdictFacts {
    std::int64_t kernelId = 0;
    std::int64_t verdictId = 0;
    std::string family;
    std::string status;            ///< as the audit wrote it
    std::string error;             ///< verbatim
    std::optional<double> speedup; ///< of the verdict, else as the corpus claims it
    bool outputAliasing = false;
    std::optional<double> elapsedSeconds;
    std::array<GateFacts, contract::kGateCount> gates;
};

/// Matches one gate's result. Every condition that is given must hold.
struct GateCondition {
    std::optional<contract::Gate> gate;      ///< nothing: any gate
    std::vector<contract::Verdict> verdicts; ///< empty: any verdict
    std::string reasonContains;
    std::string reasonCode;
    tensor::ValueClass valueClass = tensor::ValueClass::Absent; ///< Absent: any

    bool matches(const GateFacts& facts) const;
};

/// One way to land in the floor or among the violations.
struct Channel {
    enum class Kind { Gate, Status, StatusNot, OutputAliasing, Floor };
    Kind kind = Kind::Gate;
    GateCondition gate;
    std::vector<std::string> statuses;
};

/// A row that failed for the tool chain's sake, not the kernel's: left out of the denominator.
struct ArtifactRule {
    std::string status;
    std::vector<std::string> errorPrefixes;
    std::vector<std::string> errorContains;
};

/// Where every condition of `when` holds, the gates that match `gates` count as passed.
struct Forgiveness {
    std::vector<GateCondition> when;
    std::vector<GateCondition> gates;
    std::string because;
};

struct Rules {
    double speedupAbove = 0; ///< accepted: a speedup is recorded and larger than this
    std::vector<std::string> excludedStatuses;
    std::vector<ArtifactRule> artifacts;
    std::vector<Channel> floor;
    std::vector<Channel> violations;
    std::vector<Forgiveness> forgiveness;
};

/// @throws Error as parseRuleSet()
Rules compileRules(const RuleSet& ruleSet);

/// True where the status leaves the row without a usable reference, so that it cannot be audited.
bool isExecutable(const Rules& rules, std::string_view status);

RuleOutcome evaluate(const Rules& rules, const VerdictFacts& facts);

/// The gate strip of @p facts with the gates in @p outcome's `forgiven` shown as passed.
contract::GateStrip stripUnder(const RuleOutcome& outcome, const VerdictFacts& facts);

} // namespace assay::report

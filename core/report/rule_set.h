// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// What-if re-scoring: a rule set is data (canonical JSON with a hash), applied to the rows of an audit without touching them.
namespace assay::report {

struct RuleSet {
    std::string name;       ///< "as-published", "nan-equal", "nan-equal-strict", "union"
    std::string title;      ///< one line for the window
    std::string definition; ///< canonical JSON: population, floor channels, violation channels, forgiveness rules
    std::string hash;       ///< SHA-256 of definition
};

/// The rule sets that ship with the program: "as-published"; "nan-equal" (forgives ORD-02 "runs differ" where ORD-01 says
/// max_err=nan and CMP-01 passes; gates.md 0.3 item 1); "nan-equal-loose" (the same without the CMP-01 condition); "union"
/// (violations joined with the floor, gates.md 0.3 item 8).
const std::vector<RuleSet>& builtInRuleSets();

/// @throws Error when @p definition is not a rule set (what, where in the JSON, what to do)
RuleSet parseRuleSet(std::string_view definition);

/// Built-in or stored rule set called @p name. @throws Error naming the known ones
RuleSet ruleSetByName(store::Database& database, const std::string& name);

/// How one verdict counts under a rule set.
struct RuleOutcome {
    std::int64_t kernelId = 0;
    bool accepted = false;
    bool audited = false;
    bool toleranceFree = false;
    bool anyViolation = false;
    int failMask = 0;                  ///< gates that still count as failed, see contract::GateStrip::failMask
    std::vector<std::string> forgiven; ///< gates that the rule set forgave
};

/// Applies @p rules to every verdict of @p auditId, in kernel order.
void applyRuleSet(store::Database& database, std::int64_t auditId, const RuleSet& rules,
                  const std::function<void(const RuleOutcome&)>& each);

/// Stores rule set and outcomes, so that the rows behind a number can be listed ("rule:nan-equal/tolerance_free").
void storeRuleOutcomes(store::Database& database, std::int64_t auditId, const RuleSet& rules, std::stop_token stop);

} // namespace assay::report

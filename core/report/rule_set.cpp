// SPDX-License-Identifier: Apache-2.0
#include "core/report/rule_set.h"

#include "core/report/python_json.h"
#include "core/report/rule_engine.h"
#include "core/report/sql.h"
#include "core/text/sha256.h"

#include <fmt/format.h>

namespace assay::report {

namespace {

// Population and channels of the published audit: gates.md 0.2. Toolchain artifacts are compilations that failed for the
// compiler's sake; "CUDA error" in any gate's reason is how a crash shows in its rows.
constexpr std::string_view kPopulation = R"json("population": {
    "accepted": {"speedup_above": 0},
    "excluded_statuses": ["not_auditable", "ref_broken"],
    "artifacts": [
        {"status": "cand_native_fail", "error_prefixes": ["CompilationError", "OutOfResources", "PTXASError", "UnsupportedLanguageConstruct"]},
        {"status": "sandbox_other", "error_contains": ["unpickle error"]}]
})json";

constexpr std::string_view kFloor = R"json("floor": [
    {"status_not": ["gated"]},
    {"gate": "any", "reason_contains": "CUDA error"},
    {"gate": "EXC-01", "verdicts": ["fail"]},
    {"gate": "ORD-02", "verdicts": ["fail"]},
    {"output_aliasing": true}
])json";

constexpr std::string_view kViolations = R"json(
    {"status_not": ["gated"]},
    {"gate": "any", "reason_contains": "CUDA error"},
    {"gate": "any", "verdicts": ["fail"]})json";

// gates.md 0.3 item 1: the audit compared runs with an operator for which NaN differs from NaN. Where the reference itself
// emits NaN and the candidate matches it, three gates failed for that alone.
constexpr std::string_view kNanGates = R"json("forgive": [
        {"gate": "ORD-02", "verdicts": ["fail"], "reason_contains": "differ"},
        {"gate": "ORD-01", "verdicts": ["fail"], "reason_contains": "max_err=nan"},
        {"gate": "ORD-03", "verdicts": ["fail"], "reason_contains": "max_err=nan"}])json";

constexpr std::string_view kNanConditions = R"json(
        {"gate": "ORD-02", "verdicts": ["fail"], "reason_contains": "differ"},
        {"gate": "ORD-01", "verdicts": ["fail"], "reason_contains": "max_err=nan"})json";

std::string definition(std::string_view name, std::string_view title, std::string_view moreViolations,
                       std::string_view forgiveness)
{
    return fmt::format(
        R"({{"schema": "assay.rules/1", "name": "{}", "title": "{}", {}, {}, "violations": [{}{}], "forgiveness": [{}]}})", name,
        title, kPopulation, kFloor, kViolations, moreViolations, forgiveness);
}

std::string nanForgiveness(std::string_view moreConditions, std::string_view because)
{
    return fmt::format(R"({{"because": "{}", "when": [{}{}], {}}})", because, kNanConditions, moreConditions, kNanGates);
}

std::vector<RuleSet> makeBuiltIns()
{
    return {
        parseRuleSet(definition("as-published", "As the audit published it", "", "")),
        parseRuleSet(definition("nan-equal", "NaN equals NaN where the reference emits it and CMP-01 passes", "",
                                nanForgiveness(R"(, {"gate": "CMP-01", "verdicts": ["pass"]})",
                                               "runs that agree in NaN are equal, and the values agree with the reference"))),
        parseRuleSet(definition("nan-equal-loose", "NaN equals NaN, whatever CMP-01 says", "",
                                nanForgiveness("", "runs that agree in NaN are equal"))),
        parseRuleSet(definition("union", "Violations joined with the tolerance-free floor", R"(, {"channel": "floor"})", "")),
    };
}

std::string knownNames(store::Database& database)
{
    std::string names;
    for (const RuleSet& ruleSet : builtInRuleSets())
        names += (names.empty() ? "" : ", ") + ruleSet.name;
    SQLite::Statement stored(database.sqlite(), "SELECT DISTINCT name FROM rule_set ORDER BY name");
    while (stored.executeStep()) {
        const std::string name = stored.getColumn(0).getString();
        if ((", " + names + ",").find(", " + name + ",") == std::string::npos)
            names += ", " + name;
    }
    return names;
}

} // namespace

const std::vector<RuleSet>& builtInRuleSets()
{
    static const std::vector<RuleSet> kRuleSets = makeBuiltIns();
    return kRuleSets;
}

RuleSet ruleSetByName(store::Database& database, const std::string& name)
{
    for (const RuleSet& ruleSet : builtInRuleSets()) {
        if (ruleSet.name == name)
            return ruleSet;
    }
    return sql::guarded(database, [&]() -> RuleSet {
        SQLite::Statement stored(database.sqlite(), "SELECT definition FROM rule_set WHERE name = ? ORDER BY id DESC LIMIT 1");
        stored.bind(1, name);
        if (stored.executeStep())
            return parseRuleSet(stored.getColumn(0).getString());
        throw Error("no rule set is called \"" + name + "\"", database.path().string(), "There are " + knownNames(database));
    });
}

} // namespace assay::report

// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"

#include "core/report/cross_table.h"
#include "core/report/rule_engine.h"
#include "core/report/sql.h"
#include "core/report/tally.h"
#include "core/report/threshold_note.h"
#include "core/report/verdict_stream.h"
#include "core/store/statement.h"
#include "core/text/error.h"

#include <SQLiteCpp/Column.h>

#include <algorithm>
#include <map>

namespace assay::report {

namespace {

const RuleSet& asPublished()
{
    return builtInRuleSets().front();
}

/// Walks the whole table rather than an index where the scope is a good part of it: an index that lacks the columns would fetch
/// every row at random.
std::string triageSource(store::Database& database, const store::Scope& scope)
{
    std::int64_t all = 0;
    for (const store::Scope& other : store::scopes(database))
        all += other.kernels;
    return scope.kernels * 4 >= all ? "triage NOT INDEXED" : "triage";
}

/// Counts the flags that the import stored. @return whether any row records how many checks ran
bool countStored(store::Database& database, const store::Scope& scope, const Rules& published, Tally& tally)
{
    return sql::guarded(database, [&] {
        store::Statement rows(database.sqlite(),
                              "SELECT family, status, accepted, audited, tolerance_free, any_violation, strip, fail_mask, "
                              "elapsed_seconds, exercised FROM "
                                  + triageSource(database, scope) + " WHERE scope_id = ?");
        rows.integer(1, scope.id);
        bool exercised = false;
        while (rows.step()) {
            CountedRow row;
            row.family = rows.textAt(0);
            row.executable = isExecutable(published, rows.textAt(1));
            row.accepted = rows.integerAt(2) != 0;
            row.audited = rows.integerAt(3) != 0;
            row.toleranceFree = rows.integerAt(4) != 0;
            row.anyViolation = rows.integerAt(5) != 0;
            row.strip = contract::GateStrip(rows.integerAt(6));
            row.failMask = static_cast<int>(rows.integerAt(7));
            row.elapsedSeconds = rows.isNull(8) ? std::nullopt : std::optional(rows.realAt(8));
            exercised = exercised || !rows.isNull(9);
            tally.add(row);
        }
        return exercised;
    });
}

CountedRow countedUnder(const Rules& rules, const RuleOutcome& outcome, const VerdictFacts& facts)
{
    CountedRow row;
    row.family = facts.family;
    row.accepted = outcome.accepted;
    row.executable = isExecutable(rules, facts.status);
    row.audited = outcome.audited;
    row.toleranceFree = outcome.toleranceFree;
    row.anyViolation = outcome.anyViolation;
    row.forgiven = !outcome.forgiven.empty();
    row.strip = stripUnder(outcome, facts);
    row.failMask = outcome.failMask;
    row.elapsedSeconds = facts.elapsedSeconds;
    return row;
}

/// Checks that ran and checks that there were, for each gate over the audited rows.
void addExercised(store::Database& database, std::int64_t scopeId, AuditReport& report)
{
    sql::guarded(database, [&] {
        SQLite::Statement sums(database.sqlite(), R"sql(
            SELECT g.gate, sum(g.exercised), sum(g.total)
            FROM triage t CROSS JOIN gate_result g ON g.verdict_id = t.verdict_id
            WHERE t.scope_id = ? AND t.audited = 1 AND g.exercised IS NOT NULL GROUP BY g.gate)sql");
        sums.bind(1, scopeId);
        while (sums.executeStep()) {
            if (const auto gate = contract::gateFromId(sums.getColumn(0).getText())) {
                GateCounts& counts = report.perGate[static_cast<std::size_t>(*gate)];
                counts.exercisedChecks = sums.getColumn(1).getInt64();
                counts.totalChecks = sums.getColumn(2).getInt64();
            }
        }
    });
}

void reportStored(store::Database& database, const store::Scope& scope, const Rules& rules, AuditReport& report)
{
    Tally tally;
    const bool exercised = countStored(database, scope, rules, tally);
    tally.finish(report, "", rules.excludedStatuses);
    if (exercised)
        addExercised(database, scope.id, report);
    if (scope.auditId)
        report.baselines = recomputedTables(database, scope.id, *scope.auditId);
}

void reportUnder(store::Database& database, const store::Scope& scope, const RuleSet& ruleSet, const Rules& rules,
                 AuditReport& report)
{
    Tally tally;
    std::map<std::int64_t, bool> anyViolation;
    if (scope.auditId) {
        const bool baselines = hasBaselines(database, *scope.auditId);
        forEachVerdict(database, *scope.auditId, [&](const VerdictFacts& facts) {
            const RuleOutcome outcome = evaluate(rules, facts);
            tally.add(countedUnder(rules, outcome, facts));
            if (baselines && outcome.audited)
                anyViolation.emplace(facts.verdictId, outcome.anyViolation);
        });
    }
    tally.finish(report, ruleSet.name, rules.excludedStatuses);
    if (scope.auditId)
        report.baselines = recomputedTables(database, *scope.auditId, anyViolation);
}

} // namespace

AuditReport buildReport(store::Database& database, std::int64_t scopeId, const RuleSet& ruleSet)
{
    const store::Scope scope = sql::scopeById(database, scopeId);
    if (scope.isJudged() && ruleSet.hash != asPublished().hash)
        throw Error("rule sets re-score audits that others published; the gates of this one say themselves what is wrong",
                    scope.auditName, "Leave the rule set out");
    AuditReport report;
    report.corpus = scope.corpusName;
    report.corpusOrigin = scope.corpusOrigin;
    report.audit = scope.auditName;
    report.ruleSet = ruleSet.name;
    report.ruleSetHash = ruleSet.hash;
    if (scope.auditId)
        report.thresholds = thresholdNote(database, *scope.auditId);

    const Rules rules = compileRules(ruleSet);
    if (ruleSet.hash == asPublished().hash)
        reportStored(database, scope, rules, report);
    else
        reportUnder(database, scope, ruleSet, rules, report);

    const std::vector<CrossTable> published = publishedTables(database, scope.corpusId);
    report.baselines.insert(report.baselines.end(), published.begin(), published.end());
    return report;
}

std::vector<WhatIf> whatIf(store::Database& database, std::int64_t scopeId, const std::vector<RuleSet>& ruleSets)
{
    const store::Scope scope = sql::scopeById(database, scopeId);
    if (!scope.auditId || scope.isJudged())
        return {};
    std::vector<WhatIf> results;
    std::vector<Rules> compiled;
    for (const RuleSet& ruleSet : ruleSets) {
        results.push_back({ruleSet.name, ruleSet.title, ruleSet.hash, 0, {}, {}, 0});
        compiled.push_back(compileRules(ruleSet));
    }
    forEachVerdict(database, *scope.auditId, [&](const VerdictFacts& facts) {
        for (std::size_t i = 0; i < compiled.size(); ++i) {
            const RuleOutcome outcome = evaluate(compiled[i], facts);
            results[i].audited += outcome.audited;
            results[i].toleranceFree.count += outcome.toleranceFree;
            results[i].anyViolation.count += outcome.anyViolation;
            results[i].forgiven += outcome.audited && !outcome.forgiven.empty();
        }
    });
    for (WhatIf& result : results) {
        for (Rate* rate : {&result.toleranceFree, &result.anyViolation}) {
            rate->of = result.audited;
            rate->wilson95 = sampling::wilson(rate->count, rate->of);
        }
    }
    return results;
}

std::vector<PublishedNumber> publishedNumbers(store::Database& database, std::int64_t corpusId)
{
    return sql::guarded(database, [&] {
        SQLite::Statement figures(database.sqlite(), R"sql(
            SELECT kind, source_file, pointer, value, value_class, text FROM published_figure WHERE corpus_id = ? ORDER BY id)sql");
        figures.bind(1, corpusId);
        std::vector<PublishedNumber> numbers;
        while (figures.executeStep()) {
            numbers.push_back({figures.getColumn(0).getString(), figures.getColumn(1).getString(),
                               figures.getColumn(2).getString(), sql::measuredColumns(figures.getColumn(3), figures.getColumn(4)),
                               figures.getColumn(5).getString()});
        }
        return numbers;
    });
}

} // namespace assay::report

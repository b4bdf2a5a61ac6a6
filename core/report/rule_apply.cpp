// SPDX-License-Identifier: Apache-2.0
#include "core/report/rule_engine.h"
#include "core/report/sql.h"
#include "core/report/verdict_stream.h"

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::report {

namespace {

std::int64_t storedRuleSet(SQLite::Database& database, const RuleSet& rules)
{
    SQLite::Statement insert(database, R"sql(
        INSERT INTO rule_set (name, hash, title, definition, created_at) VALUES (?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
        ON CONFLICT (hash) DO NOTHING)sql");
    insert.bind(1, rules.name);
    insert.bind(2, rules.hash);
    insert.bind(3, rules.title);
    insert.bind(4, rules.definition);
    insert.exec();
    SQLite::Statement find(database, "SELECT id FROM rule_set WHERE hash = ?");
    find.bind(1, rules.hash);
    find.executeStep();
    return find.getColumn(0).getInt64();
}

void forgetOutcomes(SQLite::Database& database, std::int64_t ruleSetId, std::int64_t auditId)
{
    SQLite::Statement remove(database, "DELETE FROM rule_outcome WHERE rule_set_id = ? AND audit_id = ?");
    remove.bind(1, ruleSetId);
    remove.bind(2, auditId);
    remove.exec();
}

} // namespace

void applyRuleSet(store::Database& database, std::int64_t auditId, const RuleSet& rules,
                  const std::function<void(const RuleOutcome&)>& each)
{
    const Rules compiled = compileRules(rules);
    forEachVerdict(database, auditId, [&](const VerdictFacts& facts) { each(evaluate(compiled, facts)); });
}

void storeRuleOutcomes(store::Database& database, std::int64_t auditId, const RuleSet& rules, std::stop_token stop)
{
    const store::InterruptOnStop interrupt(database, stop);
    sql::guarded(database, [&] {
        SQLite::Transaction transaction(database.sqlite(), SQLite::TransactionBehavior::IMMEDIATE);
        const std::int64_t ruleSetId = storedRuleSet(database.sqlite(), rules);
        forgetOutcomes(database.sqlite(), ruleSetId, auditId);
        SQLite::Statement insert(database.sqlite(), R"sql(
            INSERT INTO rule_outcome (rule_set_id, audit_id, kernel_id, audited, tolerance_free, any_violation, forgiven)
            VALUES (?, ?, ?, ?, ?, ?, ?))sql");
        applyRuleSet(database, auditId, rules, [&](const RuleOutcome& outcome) {
            if (stop.stop_requested())
                throw Cancelled();
            insert.reset();
            insert.bind(1, ruleSetId);
            insert.bind(2, auditId);
            insert.bind(3, outcome.kernelId);
            insert.bind(4, outcome.audited ? 1 : 0);
            insert.bind(5, outcome.toleranceFree ? 1 : 0);
            insert.bind(6, outcome.anyViolation ? 1 : 0);
            if (outcome.forgiven.empty())
                insert.bind(7);
            else
                insert.bind(7, fmt::format("{}", fmt::join(outcome.forgiven, ",")));
            insert.exec();
        });
        transaction.commit();
    });
}

} // namespace assay::report

// SPDX-License-Identifier: Apache-2.0
#include "core/report/cross_table.h"

#include "core/report/sql.h"

#include <SQLiteCpp/Column.h>

#include <optional>
#include <regex>
#include <utility>

namespace assay::report {

namespace {

/// A baseline passed, failed, or could not be had; the last is in no cell.
std::optional<bool> baselinePassed(std::string_view verdict)
{
    if (verdict == "pass")
        return true;
    if (verdict == "fail" || verdict == "crash" || verdict == "timeout")
        return false;
    return std::nullopt;
}

void count(CrossTable& table, bool theirsPassed, bool oursFailed, std::int64_t rows)
{
    (theirsPassed ? (oursFailed ? table.passFail : table.passPass) : (oursFailed ? table.failFail : table.failPass)) += rows;
}

std::vector<CrossTable> asVector(std::map<std::string, CrossTable>& tables)
{
    std::vector<CrossTable> found;
    for (auto& [mode, table] : tables) {
        table.mode = mode;
        found.push_back(table);
    }
    return found;
}

/// What a published table compared, where its pointer says it in the audit's own words.
std::string modeOf(const std::string& pointer)
{
    static const std::map<std::string, std::string, std::less<>> kModes = {
        {"/cells_paper_era", "kernelbench-paper"},
        {"/cells_hardened", "kernelbench-hardened"},
        {"/cells_their_vs_our_replica", "kernelbench-actual-vs-replica"},
    };
    const auto known = kModes.find(pointer);
    return known == kModes.end() ? pointer.substr(pointer.rfind('/') + 1) : known->second;
}

} // namespace

bool hasBaselines(store::Database& database, std::int64_t auditId)
{
    return sql::guarded(database, [&] {
        SQLite::Statement any(database.sqlite(), R"sql(
            SELECT EXISTS (SELECT 1 FROM baseline_verdict b CROSS JOIN verdict v ON v.id = b.verdict_id WHERE v.audit_id = ?))sql");
        any.bind(1, auditId);
        any.executeStep();
        return any.getColumn(0).getInt() != 0;
    });
}

std::vector<CrossTable> recomputedTables(store::Database& database, std::int64_t scopeId, std::int64_t auditId)
{
    return sql::guarded(database, [&] {
        SQLite::Statement rows(database.sqlite(), R"sql(
            SELECT b.mode, b.verdict, t.any_violation, count(*)
            FROM baseline_verdict b CROSS JOIN verdict v ON v.id = b.verdict_id AND v.audit_id = ?
                 CROSS JOIN triage t ON t.kernel_id = v.kernel_id AND t.scope_id = ?
            WHERE t.audited = 1 GROUP BY 1, 2, 3)sql");
        rows.bind(1, auditId);
        rows.bind(2, scopeId);
        std::map<std::string, CrossTable> tables;
        while (rows.executeStep()) {
            if (const auto passed = baselinePassed(rows.getColumn(1).getText()))
                count(tables[rows.getColumn(0).getString()], *passed, rows.getColumn(2).getInt() != 0,
                      rows.getColumn(3).getInt64());
        }
        return asVector(tables);
    });
}

std::vector<CrossTable> recomputedTables(store::Database& database, std::int64_t auditId,
                                         const std::map<std::int64_t, bool>& anyViolation)
{
    return sql::guarded(database, [&] {
        SQLite::Statement rows(database.sqlite(), R"sql(
            SELECT b.mode, b.verdict, b.verdict_id
            FROM baseline_verdict b CROSS JOIN verdict v ON v.id = b.verdict_id WHERE v.audit_id = ?)sql");
        rows.bind(1, auditId);
        std::map<std::string, CrossTable> tables;
        while (rows.executeStep()) {
            const auto ours = anyViolation.find(rows.getColumn(2).getInt64());
            const auto theirs = baselinePassed(rows.getColumn(1).getText());
            if (ours != anyViolation.end() && theirs)
                count(tables[rows.getColumn(0).getString()], *theirs, ours->second, 1);
        }
        return asVector(tables);
    });
}

std::vector<CrossTable> publishedTables(store::Database& database, std::int64_t corpusId)
{
    return sql::guarded(database, [&] {
        SQLite::Statement figures(database.sqlite(), R"sql(
            SELECT source_file, pointer, value FROM published_figure
            WHERE corpus_id = ? AND value IS NOT NULL AND pointer LIKE '%\_our\_%' ESCAPE '\' ORDER BY id)sql");
        figures.bind(1, corpusId);
        static const std::regex kCell("(.*)/[a-z]+_(pass|fail)_our_(pass|fail)");
        std::vector<CrossTable> tables;
        std::map<std::pair<std::string, std::string>, std::size_t> places;
        while (figures.executeStep()) {
            const std::string pointer = figures.getColumn(1).getString();
            std::smatch cell;
            if (!std::regex_match(pointer, cell, kCell))
                continue;
            const std::string source = figures.getColumn(0).getString();
            const auto [place, isNew] = places.try_emplace({source, cell[1].str()}, tables.size());
            if (isNew)
                tables.push_back({modeOf(cell[1].str()), source, 0, 0, 0, 0});
            count(tables[place->second], cell[2] == "pass", cell[3] == "fail", figures.getColumn(2).getInt64());
        }
        return tables;
    });
}

} // namespace assay::report

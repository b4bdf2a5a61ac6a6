// SPDX-License-Identifier: Apache-2.0
#include "core/store/file_system.h"
#include "core/store/guarded.h"
#include "core/store/maintenance.h"
#include "core/store/schema.h"
#include "core/store/source_store.h"
#include "core/store/statement.h"
#include "core/store/table_list.h"
#include "core/store/triage_refresh.h"
#include "core/text/sha256.h"

#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <optional>

namespace assay::store {

namespace {

/// Gathers findings of one database. Each check reports and goes on: one damaged table must not hide another.
class Checker {
public:
    Checker(Database& database, CheckReport& report)
        : m_database(database)
        , m_sqlite(database.sqlite())
        , m_report(report)
    {
    }

    void all()
    {
        {
            // One snapshot: what another process commits between two checks must not look like a contradiction.
            const SQLite::Transaction snapshot(m_sqlite);
            run("integrity", [this] { integrity(); });
            run("foreign_keys", [this] { foreignKeys(); });
            run("sources", [this] { packedRows("source", "source"); });
            run("documents", [this] { packedRows("published_document", "published document"); });
            run("accounting", [this] { accounting(); });
            run("scopes", [this] { scopes(); });
            run("triage", [this] { triage(); });
        }
        run("full_text", [this] { fullText(); });
    }

private:
    template <typename Work> void run(const char* name, Work work)
    {
        m_database.throwIfStopped();
        m_check = name;
        m_report.checks.emplace_back(name);
        try {
            work();
        } catch (const SQLite::Exception& error) {
            const int code = error.getErrorCode() & 0xFF;
            if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB && code != SQLITE_ERROR)
                throw;
            found(error.what());
        }
    }

    void found(std::string problem)
    {
        ++m_report.problems;
        if (m_report.findings.size() < CheckReport::kMaxListed)
            m_report.findings.push_back({m_check, std::move(problem)});
    }

    void skip(const std::string& why)
    {
        m_report.checks.pop_back();
        m_report.skipped.push_back(m_check + ": " + why);
    }

    void integrity()
    {
        Statement query(m_sqlite, "PRAGMA integrity_check(100)");
        while (query.step()) {
            if (query.textAt(0) != "ok")
                found(std::string(query.textAt(0)));
        }
    }

    void foreignKeys()
    {
        Statement query(m_sqlite, "PRAGMA foreign_key_check");
        while (query.step())
            found("row " + std::to_string(query.integerAt(1)) + " of " + std::string(query.textAt(0))
                  + " points to a missing row of " + std::string(query.textAt(2)));
    }

    void packedRows(const std::string& table, const std::string& what)
    {
        Statement query(m_sqlite, "SELECT id, sha256, bytes, codec, data FROM " + table + " ORDER BY id");
        while (query.step()) {
            const auto text = unpack(query.textAt(3), query.blobAt(4), query.integerAt(2));
            if (!text || sha256Hex(*text) != query.textAt(1))
                found(what + " " + std::to_string(query.integerAt(0)) + " does not match its SHA-256");
        }
    }

    void accounting()
    {
        Statement files(m_sqlite,
                        "SELECT path FROM import_file WHERE rows <> kept + already_present + rejected OR rejected <> "
                        "(SELECT count(*) FROM rejection r WHERE r.import_file_id = import_file.id)");
        while (files.step())
            found("the rows of import " + std::string(files.textAt(0)) + " do not add up");
        Statement orphans(m_sqlite, "SELECT id FROM kernel k WHERE NOT EXISTS (SELECT 1 FROM origin o WHERE o.kernel_id = k.id)");
        while (orphans.step())
            found("kernel " + std::to_string(orphans.integerAt(0)) + " has no origin");
        Statement known(m_sqlite, "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1");
        for (const IndexStatement& index : indexStatements()) {
            if (!singleInteger(known.text(1, index.name)))
                found("index " + index.name + " is missing");
        }
    }

    void scopes()
    {
        Statement missing(m_sqlite,
                          "SELECT a.name FROM audit a WHERE EXISTS (SELECT 1 FROM verdict v WHERE v.audit_id = a.id) "
                          "AND NOT EXISTS (SELECT 1 FROM scope s WHERE s.audit_id = a.id)");
        while (missing.step())
            found("audit " + std::string(missing.textAt(0)) + " has verdicts but no scope");
        Statement counts(m_sqlite,
                         "SELECT id, kernels, (SELECT count(*) FROM triage t WHERE t.scope_id = s.id) AS n FROM scope s "
                         "WHERE kernels <> n");
        while (counts.step())
            found("scope " + std::to_string(counts.integerAt(0)) + " counts " + std::to_string(counts.integerAt(1))
                  + " kernels and has " + std::to_string(counts.integerAt(2)));
    }

    // Every stored row is looked up with all the values that it should have.
    void triage()
    {
        std::string sql = "SELECT 1 FROM triage WHERE ";
        std::string_view columns = kTriageColumns;
        for (int i = 1; i <= kTriageColumnCount; ++i) {
            const std::size_t end = columns.find(", ");
            sql += (i == 1 ? "" : " AND ") + std::string(columns.substr(0, end)) + " IS ?" + std::to_string(i);
            columns.remove_prefix(end == std::string_view::npos ? columns.size() : end + 2);
        }
        Statement same(m_sqlite, sql);
        Statement scopeIds(m_sqlite, "SELECT id FROM scope ORDER BY id");
        std::int64_t expected = 0;
        while (scopeIds.step()) {
            deriveTriage(m_sqlite, scopeIds.integerAt(0), 0, [&](const TriageValues& row) {
                ++expected;
                bindTriage(same, row);
                if (!singleInteger(same))
                    found("the list shows kernel " + row.externalId + " (" + std::to_string(row.kernelId)
                          + ") otherwise than its verdict says");
            });
        }
        const std::int64_t stored = m_sqlite.execAndGet("SELECT count(*) FROM triage").getInt64();
        if (stored != expected)
            found("the list has " + std::to_string(stored) + " rows where " + std::to_string(expected)
                  + " follow from the verdicts");
    }

    void fullText()
    {
        if (m_database.isReadOnly())
            return skip("SQLite checks it through a write, and the database is read-only");
        std::optional<SQLite::Transaction> writing;
        try {
            writing.emplace(m_sqlite, SQLite::TransactionBehavior::IMMEDIATE);
        } catch (const SQLite::Exception& error) {
            if ((error.getErrorCode() & 0xFF) != SQLITE_BUSY)
                throw;
            return skip("SQLite checks it through a write, and " + lockedSentence(m_database.path())
                        + "; look again when that is done");
        }
        // Rank 1 compares with the indexed table too, which the two others do not hold one to one.
        for (const char* sql : {"INSERT INTO kernel_fts (kernel_fts, rank) VALUES ('integrity-check', 1)",
                                "INSERT INTO note_fts (note_fts, rank) VALUES ('integrity-check', 1)",
                                "INSERT INTO finding_fts (finding_fts) VALUES ('integrity-check')",
                                "INSERT INTO source_fts (source_fts) VALUES ('integrity-check')"}) {
            const int result = m_sqlite.tryExec(sql);
            if ((result & 0xFF) == SQLITE_CORRUPT)
                found(std::string(sql) + " fails: the index does not agree with what it indexes");
            else if (result != SQLITE_OK)
                throw SQLite::Exception(m_sqlite.getHandle(), result);
        }
        count("finding_fts_docsize", "SELECT count(*) FROM verdict WHERE finding IS NOT NULL");
        count("source_fts_docsize", "SELECT count(*) FROM source");
    }

    void count(const std::string& table, const char* expectedSql)
    {
        const std::int64_t indexed = m_sqlite.execAndGet("SELECT count(*) FROM " + table).getInt64();
        const std::int64_t expected = m_sqlite.execAndGet(expectedSql).getInt64();
        if (indexed != expected)
            found(table + " has " + std::to_string(indexed) + " entries where " + std::to_string(expected) + " are expected");
    }

    Database& m_database;
    SQLite::Database& m_sqlite;
    CheckReport& m_report;
    std::string m_check;
};

void rebuildDerived(Database& database)
{
    if (database.isReadOnly())
        throw DatabaseError(DatabaseError::Kind::ReadOnly, "nothing can be rebuilt in a read-only database",
                            database.path().string(), "Copy it to a place that can be written");
    SQLite::Database& sqlite = database.sqlite();
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    createMissingIndexes(sqlite);
    sqlite.exec("REINDEX");
    rebuildTriage(sqlite);
    rebuildFullText(sqlite);
    transaction.commit();
}

} // namespace

CheckReport checkDatabase(Database& database, const CheckOptions& options, std::stop_token stop)
{
    const InterruptOnStop interrupt(database, std::move(stop));
    return guarded(database, [&] {
        CheckReport report;
        report.path = database.path();
        if (options.rebuild) {
            rebuildDerived(database);
            report.rebuilt = true;
        }
        Checker(database, report).all();
        return report;
    });
}

CheckReport checkFile(const std::filesystem::path& path, const CheckOptions& options, std::stop_token stop)
{
    try {
        const auto database = Database::open(path, OpenMode::ReadWrite);
        return checkDatabase(*database, options, stop);
    } catch (const DatabaseError& error) {
        if (error.kind() != DatabaseError::Kind::Corrupt)
            throw;
        CheckReport report;
        report.path = path;
        report.checks.emplace_back("open");
        report.findings.push_back({"open", error.problem()});
        for (const TableRescue& table : readableTables(path, stop)) {
            const std::string rows = table.table + ": " + std::to_string(table.rows) + " rows can be read";
            report.findings.push_back(
                {"open", table.problem.empty() ? rows + ", all of them" : rows + ", then " + table.problem});
        }
        report.problems = static_cast<std::int64_t>(report.findings.size());
        return report;
    }
}

} // namespace assay::store

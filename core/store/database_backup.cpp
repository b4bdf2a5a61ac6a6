// SPDX-License-Identifier: Apache-2.0
#include "core/store/damaged_file.h"
#include "core/store/file_system.h"
#include "core/store/guarded.h"
#include "core/store/maintenance.h"
#include "core/store/migration.h"
#include "core/store/schema.h"
#include "core/store/statement.h"
#include "core/store/table_list.h"
#include "core/store/triage_refresh.h"

#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <algorithm>
#include <functional>
#include <set>

namespace assay::store {

namespace {

namespace fs = std::filesystem;

bool isDamage(const SQLite::Exception& error)
{
    const int code = error.getErrorCode() & 0xFF;
    return code == SQLITE_CORRUPT || code == SQLITE_IOERR || code == SQLITE_ERROR;
}

std::string keyOf(SQLite::Database& database, const std::string& table)
{
    std::string key;
    Statement query(database, "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk");
    query.text(1, table);
    while (query.step())
        key += (key.empty() ? "" : ", ") + std::string(query.textAt(0));
    return key;
}

std::string descending(const std::string& key)
{
    std::string order;
    for (const char c : key)
        order += c == ',' ? std::string(" DESC,") : std::string(1, c);
    return order + " DESC";
}

/// Reads a table from both ends, so that one bad page costs only what lies on it. @p row is called with every row, those
/// near a bad page perhaps twice. @return what stopped the reading, or ""
std::string readTwoWays(SQLite::Database& database, const std::string& table, const std::string& columns, std::stop_token stop,
                        const std::function<void(Statement&)>& row)
{
    const std::string key = keyOf(database, table);
    const std::string select = "SELECT " + columns + " FROM \"" + table + "\" NOT INDEXED ORDER BY ";
    std::string problem;
    for (const std::string& order : {key, descending(key)}) {
        try {
            Statement query(database, select + order);
            while (query.step()) {
                if (stop.stop_requested())
                    throw Cancelled();
                row(query);
            }
            return problem;
        } catch (const SQLite::Exception& error) {
            if (!isDamage(error))
                throw;
            problem = error.what();
        }
    }
    return problem;
}

std::string joined(const std::vector<std::string>& words, const std::string& between)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : between) + word;
    return text;
}

/// Columns that both the damaged table and ours have.
std::vector<std::string> sharedColumns(SQLite::Database& from, SQLite::Database& into, const std::string& table)
{
    std::set<std::string> known;
    for (const ColumnInfo& column : columnsOf(into, table))
        known.insert(column.name);
    std::vector<std::string> shared;
    for (const ColumnInfo& column : columnsOf(from, table)) {
        if (known.contains(column.name))
            shared.push_back(column.name);
    }
    return shared;
}

TableRescue rescueTable(SQLite::Database& from, SQLite::Database& into, const std::string& table, std::stop_token stop)
{
    TableRescue rescue{table, 0, {}};
    const std::vector<std::string> columns = sharedColumns(from, into, table);
    const std::vector<std::string> marks(columns.size(), "?");
    Statement insert(
        into, "INSERT OR IGNORE INTO \"" + table + "\" (" + joined(columns, ", ") + ") VALUES (" + joined(marks, ", ") + ")");
    rescue.problem = readTwoWays(from, table, joined(columns, ", "), stop, [&](Statement& row) {
        for (int i = 0; i < static_cast<int>(columns.size()); ++i)
            insert.value(i + 1, row, i);
        // A damaged value that no longer fits its column is a lost row, not the end of the rescue.
        rescue.rows += insert.tryRun() ? into.getChanges() : 0;
    });
    return rescue;
}

/// Corpora and audits are a few rows that everything hangs on: where one is lost, what refers to it is worth more than its name.
void addLostParents(SQLite::Database& database)
{
    database.exec("INSERT INTO corpus (id, name, origin, format, imported_at) "
                  "SELECT DISTINCT corpus_id, 'recovered ' || corpus_id, 'import', 'unknown', 'unknown' FROM "
                  "(SELECT corpus_id FROM kernel UNION SELECT corpus_id FROM origin UNION SELECT corpus_id FROM audit) "
                  "WHERE corpus_id NOT IN (SELECT id FROM corpus)");
    database.exec("INSERT INTO audit (id, corpus_id, name, origin, taxonomy) "
                  "SELECT v.audit_id, min(k.corpus_id), 'recovered ' || v.audit_id, 'published', 'unknown' FROM verdict v "
                  "JOIN kernel k ON k.id = v.kernel_id WHERE v.audit_id NOT IN (SELECT id FROM audit) GROUP BY v.audit_id");
}

/// Rows whose parent is lost: an optional reference is cleared, otherwise the row goes. @return rows dropped
std::int64_t dropOrphans(SQLite::Database& database)
{
    std::int64_t dropped = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::string& table : primaryTables(database)) {
            std::set<std::string> required;
            for (const ColumnInfo& column : columnsOf(database, table)) {
                if (column.notNull)
                    required.insert(column.name);
            }
            for (const ForeignKey& key : foreignKeysOf(database, table)) {
                // NULL NOT IN an empty set is true: without the first half a lost or empty parent table would never settle.
                const std::string lost
                    = key.column + " IS NOT NULL AND " + key.column + " NOT IN (SELECT id FROM \"" + key.parent + "\")";
                const bool drop = required.contains(key.column);
                const int rows = database.exec((drop ? "DELETE FROM \"" + table + "\" WHERE "
                                                     : "UPDATE \"" + table + "\" SET " + key.column + " = NULL WHERE ")
                                               + lost);
                dropped += drop ? rows : 0;
                changed = changed || rows > 0;
            }
        }
    }
    return dropped;
}

/// A kernel whose origins are lost keeps the one that it tells itself: its corpus and id there.
void addLostOrigins(SQLite::Database& database)
{
    database.exec("INSERT INTO origin (kernel_id, corpus_id, external_id, row_hash) "
                  "SELECT id, corpus_id, external_id, 0 FROM kernel WHERE id NOT IN (SELECT kernel_id FROM origin)");
}

void adjustAccounting(SQLite::Database& database)
{
    database.exec("UPDATE import_file SET rejected = (SELECT count(*) FROM rejection r WHERE r.import_file_id = import_file.id)");
    database.exec("UPDATE import_file SET rows = kept + already_present + rejected");
}

} // namespace

BackupResult backupDatabase(Database& database, const fs::path& target)
{
    return guarded(database, [&] {
        copyDatabase(database.sqlite(), target);
        return BackupResult{target, static_cast<std::int64_t>(fs::file_size(target))};
    });
}

std::vector<TableRescue> readableTables(const fs::path& path, std::stop_token stop)
{
    DamagedFile damaged(path);
    std::vector<TableRescue> tables;
    for (const std::string& table : damaged.tables()) {
        TableRescue rescue{table, 0, {}};
        SQLite::Database& sqlite = damaged.open(table);
        rescue.problem = readTwoWays(sqlite, table, keyOf(sqlite, table), stop, [&rescue](Statement&) { ++rescue.rows; });
        tables.push_back(std::move(rescue));
    }
    return tables;
}

SalvageResult salvageDatabase(const fs::path& damaged, const fs::path& target, std::stop_token stop)
{
    if (fs::exists(target))
        throw DatabaseError(DatabaseError::Kind::Io, "the file exists", target.string(), "Name a file that does not exist yet");
    DamagedFile copy(damaged);
    SalvageResult result{target, {}, 0};
    const TemporaryFolder folder;
    const auto database = Database::open(folder.path() / "salvaged.db", OpenMode::ReadWriteCreate);
    return guarded(*database, [&] {
        SQLite::Database& sqlite = database->sqlite();
        sqlite.exec("PRAGMA foreign_keys = OFF");
        SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
        for (const std::string& table : primaryTables(sqlite)) {
            const bool found = std::find(copy.tables().begin(), copy.tables().end(), table) != copy.tables().end();
            result.tables.push_back(found ? rescueTable(copy.open(table), sqlite, table, stop)
                                          : TableRescue{table, 0, "nothing tells any more where it is"});
        }
        addLostParents(sqlite);
        result.dropped = dropOrphans(sqlite);
        addLostOrigins(sqlite);
        adjustAccounting(sqlite);
        rebuildTriage(sqlite);
        rebuildFullText(sqlite);
        transaction.commit();
        copyDatabase(sqlite, target);
        return result;
    });
}

} // namespace assay::store

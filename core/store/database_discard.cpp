// SPDX-License-Identifier: Apache-2.0
#include "core/store/database.h"
#include "core/store/statement.h"
#include "core/store/table_list.h"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <algorithm>

namespace assay::store {

namespace {

bool holdsRows(SQLite::Database& sqlite)
{
    const std::vector<std::string> tables = primaryTables(sqlite);
    return std::any_of(tables.begin(), tables.end(), [&sqlite](const std::string& table) {
        return sqlite.execAndGet("SELECT EXISTS (SELECT 1 FROM \"" + table + "\")").getInt() != 0;
    });
}

/// Leaving WAL mode takes -wal and -shm along and works only while no other connection has the file open.
bool isOursAlone(SQLite::Database& sqlite)
{
    sqlite.setBusyTimeout(0);
    return sqlite.tryExec("PRAGMA journal_mode = DELETE") == SQLITE_OK
        && sqlite.execAndGet("PRAGMA journal_mode").getString() == "delete" && sqlite.tryExec("BEGIN EXCLUSIVE") == SQLITE_OK;
}

} // namespace

bool discardUnused(std::unique_ptr<Database> database)
{
    if (!database->isNew())
        return false;
    try {
        SQLite::Database& sqlite = database->sqlite();
        if (!isOursAlone(sqlite) || holdsRows(sqlite))
            return false;
        std::error_code failure;
        return std::filesystem::remove(database->path(), failure);
    } catch (const SQLite::Exception&) {
        return false; // the caller tells of the failure that led here; this one only means that the file stays
    }
}

} // namespace assay::store

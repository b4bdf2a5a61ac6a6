// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <span>
#include <string_view>

namespace assay::store {

/// One step from schema version @p to - 1 to @p to, as an SQL script without BEGIN and COMMIT.
struct Migration {
    int to = 0;
    std::string_view sql;
};

/// What this build can bring forward. Tests hand in their own.
struct MigrationPlan {
    int current = 0;                  ///< the version that opening ends with
    std::span<const Migration> steps; ///< ascending by `to`, without gaps, the last one reaching `current`
};

/// The plan of this build: every published schema version up to kSchemaVersion.
const MigrationPlan& migrationPlan();

/// PRAGMA user_version of @p database.
int schemaVersion(SQLite::Database& database);

/// Brings @p database (at @p path) to the plan's version, all steps in one transaction, after copying it to
/// "NAME.v<old>-backup" beside it. Does nothing where another process was faster.
/// @return the backup file, "" where nothing had to be done
/// @throws DatabaseError(NotAssay) when no step leads from the version found; SQLite::Exception
std::filesystem::path migrate(SQLite::Database& database, const std::filesystem::path& path, const MigrationPlan& plan);

/// Copies a database, WAL content included, through SQLite's backup interface into a new file that appears whole or not at all.
/// @throws SQLite::Exception, DatabaseError(Io) when @p target exists or cannot be put in place, DatabaseError(DiskFull)
void copyDatabase(SQLite::Database& source, const std::filesystem::path& target);

} // namespace assay::store

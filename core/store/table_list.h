// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>
#include <vector>

/// The tables of a database as the schema itself tells them.
namespace assay::store {

/// Tables that hold what was imported or written, in the order of the schema: parents before their children. Derived ones
/// (triage, scope, full-text indexes) are left out.
std::vector<std::string> primaryTables(SQLite::Database& database);

struct ColumnInfo {
    std::string name;
    bool notNull = false;
};
std::vector<ColumnInfo> columnsOf(SQLite::Database& database, const std::string& table);

struct ForeignKey {
    std::string column;
    std::string parent; ///< every parent's key is its `id`
};
std::vector<ForeignKey> foreignKeysOf(SQLite::Database& database, const std::string& table);

/// Creates the secondary indexes that are missing.
void createMissingIndexes(SQLite::Database& database);

/// Writes the full-text indexes anew from the tables they index.
void rebuildFullText(SQLite::Database& database);

} // namespace assay::store

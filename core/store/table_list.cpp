// SPDX-License-Identifier: Apache-2.0
#include "core/store/table_list.h"

#include "core/store/schema.h"
#include "core/store/source_store.h"
#include "core/store/statement.h"

namespace assay::store {

std::vector<std::string> primaryTables(SQLite::Database& database)
{
    std::vector<std::string> tables;
    Statement query(database,
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
                    "AND name NOT LIKE '%\\_fts' ESCAPE '\\' AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\' "
                    "AND name NOT IN ('triage', 'triage_facet', 'scope') ORDER BY rowid");
    while (query.step())
        tables.emplace_back(query.textAt(0));
    return tables;
}

std::vector<ColumnInfo> columnsOf(SQLite::Database& database, const std::string& table)
{
    std::vector<ColumnInfo> columns;
    Statement query(database, "SELECT name, \"notnull\" OR pk > 0 FROM pragma_table_info(?1)");
    query.text(1, table);
    while (query.step())
        columns.push_back({std::string(query.textAt(0)), query.integerAt(1) != 0});
    return columns;
}

std::vector<ForeignKey> foreignKeysOf(SQLite::Database& database, const std::string& table)
{
    std::vector<ForeignKey> keys;
    Statement query(database, "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1)");
    query.text(1, table);
    while (query.step())
        keys.push_back({std::string(query.textAt(0)), std::string(query.textAt(1))});
    return keys;
}

void createMissingIndexes(SQLite::Database& database)
{
    Statement known(database, "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1");
    for (const IndexStatement& index : indexStatements()) {
        if (!singleInteger(known.text(1, index.name)))
            database.exec(index.sql);
    }
}

void rebuildFullText(SQLite::Database& database)
{
    database.exec("INSERT INTO kernel_fts (kernel_fts) VALUES ('rebuild')");
    database.exec("INSERT INTO note_fts (note_fts) VALUES ('rebuild')");
    // A rebuild would also take in the verdicts without a finding, one entry each.
    database.exec("INSERT INTO finding_fts (finding_fts) VALUES ('delete-all')");
    database.exec(
        "INSERT INTO finding_fts (rowid, finding) SELECT id, finding FROM verdict WHERE finding IS NOT NULL ORDER BY id");
    database.exec("INSERT INTO source_fts (source_fts) VALUES ('delete-all')");
    Statement sources(database, "SELECT id, codec, data, bytes FROM source ORDER BY id");
    Statement index(database, "INSERT INTO source_fts (rowid, text) VALUES (?1, ?2)");
    while (sources.step()) {
        const auto text = unpack(sources.textAt(1), sources.blobAt(2), sources.integerAt(3));
        if (text)
            index.integer(1, sources.integerAt(0)).text(2, *text).run();
    }
}

} // namespace assay::store

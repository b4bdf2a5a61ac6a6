// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/file_system.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace assay::store {

/// A private copy of a damaged database, readable table by table.
///
/// Where SQLite can still read the list of tables, it reads them. Where it cannot (one lost page of the list is enough for it to
/// refuse everything), the list is read from the bytes of the pages that are left, and SQLite gets to see one table at a time.
/// No other connection of this process may have the file open.
class DamagedFile {
public:
    /// @throws DatabaseError(NotFound, DiskFull, Io), or Corrupt when nothing tells where the tables are
    explicit DamagedFile(const std::filesystem::path& path);

    /// Names of the primary tables that were found.
    const std::vector<std::string>& tables() const { return m_tables; }

    /// A connection that sees @p table; valid until the next call. @throws SQLite::Exception, DatabaseError(Corrupt)
    SQLite::Database& open(const std::string& table);

private:
    bool openWhole();
    void findRoots();
    void showOnly(const std::string& table);

    std::filesystem::path m_source;
    TemporaryFolder m_folder;
    std::filesystem::path m_copy;
    std::unique_ptr<SQLite::Database> m_sqlite;
    std::vector<std::string> m_tables;
    std::map<std::string, std::string> m_statements; ///< CREATE TABLE of this build, by name
    std::map<std::string, std::uint32_t> m_roots;    ///< only where SQLite cannot read the list itself
};

} // namespace assay::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::store {

/// The schema this build reads and writes; kept in `PRAGMA user_version`.
inline constexpr int kSchemaVersion = 8;

/// `PRAGMA application_id`: "Asay" in ASCII, so that `file` and we tell our databases from other SQLite files.
inline constexpr int kApplicationId = 0x41736179;

/// Every table of version kSchemaVersion, as one SQL script, without the secondary indexes.
std::string_view schemaSql();

/// The secondary indexes alone, as one script of CREATE INDEX statements (a first bulk import drops them and builds them at its
/// end).
std::string_view indexSql();

/// One statement of indexSql().
struct IndexStatement {
    std::string name;
    std::string table;
    std::string sql;
};
std::vector<IndexStatement> indexStatements();

} // namespace assay::store

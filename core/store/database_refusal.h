// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

/// Why a file is not opened, said before SQLite touches it or once its identity is known.
namespace assay::store {

[[noreturn]] void throwNewer(const std::filesystem::path& path, std::int64_t found, int known);
[[noreturn]] void throwForeign(const std::filesystem::path& path);
[[noreturn]] void throwNotSqlite(const std::filesystem::path& path);

/// Refuses what the path alone decides. @return true where a file is there @throws DatabaseError
bool checkPath(const std::filesystem::path& path, OpenMode mode);

/// Refuses what the first bytes decide, before SQLite opens the file. Never changes anything. @throws DatabaseError
void checkHeader(const std::filesystem::path& path, OpenMode mode, const MigrationPlan& plan);

} // namespace assay::store

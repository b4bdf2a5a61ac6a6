// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/id_set.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3_context;
struct sqlite3_value;

/// Full text over titles, sources, findings and notes.
namespace assay::store {

/// For each of @p phrases the kernels whose title, id, source or note has it, or whose finding in @p scopeId has.
/// All phrases at once, because the kernels of findings are looked up one by one: a finding that has several is looked up once.
/// @param phrases  FTS5 queries, see ftsPhrase()
std::vector<IdSet> kernelsWithTexts(SQLite::Database& database, std::int64_t scopeId, const std::vector<std::string>& phrases);

/// @p text as one FTS5 phrase: no character of it is an operator.
/// @param prefix  the last word may go on
std::string ftsPhrase(std::string_view text, bool prefix);

/// Makes SQL function @p name of two arguments known to the connection, where it is not yet.
/// @param flags  more flags of sqlite3_create_function_v2()
void registerFunction(SQLite::Database& database, const char* name, int flags,
                      void (*function)(sqlite3_context*, int, sqlite3_value**));

/// Makes `id_in_set(id, pointer)` known to the connection; the pointer is bound with kIdSetPointer.
void registerIdSets(SQLite::Database& database);
inline constexpr const char* kIdSetPointer = "assay-id-set";

} // namespace assay::store

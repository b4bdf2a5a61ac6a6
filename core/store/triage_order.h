// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/triage.h"
#include "core/store/triage_sql.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <vector>

namespace assay::store {

/// Kernel ids of the rows that match @p where, sorted; see triageIds(). Rows without a value come last in both directions,
/// ties are in the natural order of ids: numbers by value, then texts, then kernel id.
/// @throws SQLite::Exception
std::vector<std::int64_t> orderedIds(SQLite::Database& database, const SqlCondition& where, const TriageSort& sort,
                                     std::int64_t limit);

} // namespace assay::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/verdict_writer.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <string>

namespace assay::store {

/// Why two kernels cannot become one: an audit judged both, differently. Nothing where they can.
std::optional<std::string> joinConflict(SQLite::Database& database, std::int64_t kept, std::int64_t gone);

/// Makes two kernels one: origins, verdicts, notes, bookmarks, waivers, sample items with their labels and re-scored rows of
/// @p gone go over to @p kept, what @p kept does not know is taken over, and @p gone is deleted.
/// Triage rows of @p kept are stale afterwards: refreshTriageKernel(). Call only where joinConflict() says nothing.
void joinKernels(SQLite::Database& database, VerdictWriter& verdicts, std::int64_t kept, std::int64_t gone);

} // namespace assay::store

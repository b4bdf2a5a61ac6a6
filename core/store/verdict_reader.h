// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/records.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>

namespace assay::store {

/// A stored verdict with its gates in the order of the strip, their checks and the baselines; nothing where there is none.
/// A gate that this build does not know cannot be shown and is left out. @throws SQLite::Exception
std::optional<VerdictRecord> readVerdict(SQLite::Database& db, std::int64_t verdictId);

} // namespace assay::store

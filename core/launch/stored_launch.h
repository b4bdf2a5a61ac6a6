// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/launch.h"
#include "core/store/database.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::launch {

/// A launch that a database remembers: what was asked for, and what it came to.
struct StoredLaunch {
    LaunchRequest request;         ///< as far as it was stored
    contract::Judgement judgement; ///< each gate with the check that decided, without tensors
    std::vector<LaunchError> errors;
    std::optional<LaunchTiming> timing;
    std::int64_t kernelId = 0;
    std::int64_t verdictId = 0;
    std::string createdAt; ///< UTC, ISO 8601
    double seconds = 0;    ///< of judging
};

/// The newest launch of @p database; nothing where it holds none. @throws store::DatabaseError
std::optional<StoredLaunch> newestLaunch(store::Database& database);

/// Where a verdict is listed.
struct LaunchRow {
    std::int64_t scopeId = 0;
    bool keepsOutputs = false; ///< of both sides, of a check that failed
};

/// The row of the verdict @p verdictId; nothing where that is gone. @throws store::DatabaseError
std::optional<LaunchRow> rowOf(store::Database& database, std::int64_t verdictId);

} // namespace assay::launch

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sampling/draw.h"
#include "core/store/database.h"
#include "core/store/triage_filter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The kernels that a sample can be drawn from, and their strata.
namespace assay::store {

/// What splits a frame into strata; several at once cross each other.
enum class StratifyBy { Channel, Family, Language, Outcome, Status, Baseline, FailSet };

/// "channel", "family", "language", "outcome", "status", "baseline", "fails".
std::string_view name(StratifyBy by);
std::optional<StratifyBy> stratifyByFromName(std::string_view text);
/// Every one of them, in the order of the enumeration.
std::vector<StratifyBy> allStratifications();

struct FrameRequest {
    std::int64_t scopeId = 0;
    TriageFilter filter;
    std::vector<StratifyBy> by; ///< empty: one stratum, "all"
};

struct FrameItem {
    std::uint32_t stratum = 0; ///< index into SampleFrame::strata
    std::int64_t kernelId = 0;
    sampling::ItemDigest digest;
};

struct FrameStratum {
    std::string name; ///< "EXC-01", "EXC-01 / reduction"
    std::size_t first = 0;
    std::size_t count = 0; ///< its items are items[first] to items[first + count - 1]
};

struct SampleFrame {
    std::vector<FrameStratum> strata; ///< sorted by name, none of them empty
    std::vector<FrameItem> items;     ///< by stratum, then by digest: the same order on every machine
    std::string sql;                  ///< the query that found them, values included
    std::string hash;                 ///< SHA-256 over the strata's names and the digests of their items
};

/// @throws FilterError, Error when there is no such scope, DatabaseError, Cancelled
SampleFrame readFrame(Database& database, const FrameRequest& request);

} // namespace assay::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/triage.h"
#include "core/store/triage_sql.h"

#include <SQLiteCpp/Database.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// How the sorted ids of a list are found. A list of a million rows has to begin within a tenth of a second, so nothing here
/// sorts or fetches more rows than it must: the sort index is walked, or few matching rows are gathered and sorted in memory.
namespace assay::store {

/// One list to make.
struct ListQuery {
    SQLite::Database& database;
    const FilterParts& parts;
    TriageSort sort;
    std::int64_t limit = 0; ///< at most so many, never negative
};

/// Ids in the order in which people count: numbers by value, then texts; equal ids by kernel.
struct NaturalKey {
    bool isText = false;
    std::int64_t number = 0;
    std::string externalId;
    std::int64_t kernelId = 0;
    auto operator<=>(const NaturalKey&) const = default;
};

/// Up to so many rows are fetched and sorted in memory, at one to two microseconds each because the table is read at random.
/// Above it, reading the sort index from its end finds a page sooner.
inline constexpr std::int64_t kGatherAtMost = 30'000;

/// Kernel ids, sorted; see triageIds().
/// @param limit         negative: all
/// @param gatherAtMost  how many matching rows may be sorted in memory; the list is the same whatever it is
/// @throws SQLite::Exception
std::vector<std::int64_t> orderedIds(SQLite::Database& database, const FilterParts& parts, const TriageSort& sort,
                                     std::int64_t limit, std::int64_t gatherAtMost = kGatherAtMost);

/// The column of triage and triage_facet that @p column sorts by where combinations know it, "" where only the row does.
std::string_view groupColumn(TriageColumn column);

} // namespace assay::store

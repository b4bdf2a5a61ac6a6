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

/// What the ways to a list may cost. The list is the same whatever these are.
struct ListEffort {
    /// Up to so many matching rows are fetched and sorted in memory, at two to four microseconds each because the table is read
    /// at random.
    std::int64_t gatherAtMost = 30'000;
    /// Index rows that the search for a page may read, a quarter of a microsecond each, before it is given up for another way:
    /// all of its rows may stand at the far end.
    std::int64_t walkAtMost = 100'000;
    /// Up to so many rows are read along the one index that answers the filter, a third of a microsecond each.
    std::int64_t indexGatherAtMost = 250'000;
    /// What gathering one row costs, in index rows.
    static constexpr std::int64_t kGatherCost = 12;
    static constexpr std::int64_t kIndexGatherCost = 3; ///< where one index holds all that is asked
};

/// Kernel ids, sorted; see triageIds().
/// @param limit  negative: all
/// @throws SQLite::Exception
std::vector<std::int64_t> orderedIds(SQLite::Database& database, const FilterParts& parts, const TriageSort& sort,
                                     std::int64_t limit, const ListEffort& effort = {});

/// The column of triage and triage_facet that @p column sorts by where combinations know it, "" where only the row does.
std::string_view groupColumn(TriageColumn column);

} // namespace assay::store

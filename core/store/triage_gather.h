// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/code_table.h"
#include "core/store/triage_order.h"

#include <cstdint>
#include <optional>
#include <vector>

/// Lists that fetch the matching rows and sort them in memory: best where few rows match.
namespace assay::store {

/// Place of each combination in a list that is sorted by a column of theirs.
using GroupRanks = CodeTable;

/// The matching rows, sorted. Every one is read, but little more than query.limit of them are held.
/// @param ranks  of the matching combinations, in the list's direction; used where groupColumn(query.sort.column) is not ""
std::vector<std::int64_t> gatherAndSort(const ListQuery& query, const GroupRanks& ranks, Lead lead);

/// The same. @return nothing where it would take reading more than @p atMost rows
std::optional<std::vector<std::int64_t>> gatherAndSort(const ListQuery& query, const GroupRanks& ranks, Lead lead,
                                                       std::int64_t atMost);

} // namespace assay::store

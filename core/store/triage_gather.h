// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/triage_order.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Lists that fetch the matching rows and sort them in memory: best where few rows match.
namespace assay::store {

/// Place of each combination in a list that is sorted by a column of theirs.
using GroupRanks = std::unordered_map<std::int64_t, int>;

/// The matching rows, sorted. Every one is read, but little more than query.limit of them are held.
/// @param ranks   used where groupColumn(query.sort.column) is not ""; ranks already have the list's direction
/// @param extra   one more condition over `triage t`, or ""
std::vector<std::int64_t> gatherAndSort(const ListQuery& query, const GroupRanks& ranks, Lead lead, std::string_view extra = {});

} // namespace assay::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/bounded_walk.h"
#include "core/store/triage_order.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Lists that read a sort index from one end to the other.
namespace assay::store {

/// Ids in the order of a column that has a sort index: Id, Title, Exercised, Error, Relative, Speedup or Elapsed.
/// @param budget  nullptr: whatever it costs
/// @return nothing where the budget was spent before the list was full
std::optional<std::vector<std::int64_t>> walkSortIndex(const ListQuery& query, WalkBudget* budget = nullptr);

/// Rows that match the filter with @p passes for its combinations, in natural order, until @p each returns false.
/// @return false where the budget was spent before
bool walkNaturalOrder(const ListQuery& query, const CodeTest& passes, WalkBudget* budget,
                      const std::function<bool(std::int64_t kernelId, std::int64_t facetCode)>& each);

/// Whether the scope has kernels whose id is a text, or a number.
struct IdKinds {
    bool texts = false;
    bool numbers = false;
};
IdKinds idKinds(SQLite::Database& database, std::int64_t scopeId);

} // namespace assay::store

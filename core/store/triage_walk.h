// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/triage_order.h"

#include <cstdint>
#include <functional>
#include <vector>

/// Lists that read a sort index from one end to the other.
namespace assay::store {

/// Ids in the order of a column that has a sort index: Id, Title, Exercised, Error, Relative, Speedup or Elapsed.
std::vector<std::int64_t> walkSortIndex(const ListQuery& query);

/// Rows that match the row half of the filter, in natural order, until @p each returns false.
void walkNaturalOrder(const ListQuery& query, const std::function<bool(std::int64_t kernelId, std::int64_t facetCode)>& each);

/// Whether the scope has kernels whose id is a text, or a number.
struct IdKinds {
    bool texts = false;
    bool numbers = false;
};
IdKinds idKinds(SQLite::Database& database, std::int64_t scopeId);

} // namespace assay::store

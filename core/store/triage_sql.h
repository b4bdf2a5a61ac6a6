// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/statement.h"
#include "core/store/text_search.h"
#include "core/store/triage_filter.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// From a filter to SQL. User text only ever becomes a bound value.
namespace assay::store {

/// monostate is NULL; a set is the second argument of id_in_set().
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string, std::shared_ptr<const IdSet>>;

/// An SQL expression with the values of its question marks, in order.
struct SqlCondition {
    std::string sql;
    std::vector<SqlValue> values;

    void andAlso(const SqlCondition& other);
};

/// A filter in two halves that are joined by AND.
struct FilterParts {
    std::int64_t scopeId = 0;
    SqlCondition groups; ///< over `triage_facet g`, "" where no term asks for what a combination knows
    SqlCondition rows;   ///< over `triage t`, "" where no term asks for more than that
    /// How many rows match the row half at most, where that is known without counting.
    std::optional<std::int64_t> rowsAtMost;
};

/// Runs the full-text search of @p filter.
/// @throws FilterError for a term that parseFilter() would not have let through; SQLite::Exception
FilterParts filterParts(SQLite::Database& database, std::int64_t scopeId, const TriageFilter& filter);

/// The half that combinations answer, without the terms whose key is @p exceptKey.
FilterParts groupParts(std::int64_t scopeId, const TriageFilter& filter, std::string_view exceptKey);

/// The matching combinations, over `triage_facet g`.
SqlCondition groupCondition(const FilterParts& parts);

/// How the combinations of a filter are looked up in a row.
enum class CodeLookup {
    Test,  ///< read another index and test each row's code
    Drive, ///< an index on the code may lead
};

/// The matching rows, over `triage t`.
SqlCondition rowCondition(const FilterParts& parts, CodeLookup lookup);

/// Binds @p values to the question marks from number @p first on; they must outlive the statement's steps.
/// @return the number after the last one
int bindValues(Statement& statement, const std::vector<SqlValue>& values, int first = 1);

} // namespace assay::store

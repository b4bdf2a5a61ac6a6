// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/statement.h"
#include "core/store/triage_filter.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// From a filter to SQL. User text only ever becomes a bound value.
namespace assay::store {

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>; ///< monostate is NULL

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
};

/// @param exceptKey  terms with this key are left out; "" leaves none out (full text has no facet)
/// @throws FilterError for a term that parseFilter() would not have let through
FilterParts filterParts(std::int64_t scopeId, const TriageFilter& filter, std::string_view exceptKey = {});

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

/// @p text as one FTS5 phrase: no character of it is an operator.
/// @param prefix  the last word may go on
std::string ftsPhrase(std::string_view text, bool prefix);

} // namespace assay::store

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/triage_filter.h"

#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// From a filter to SQL over `triage t`. User text only ever becomes a bound value.
namespace assay::store {

using SqlValue = std::variant<std::int64_t, double, std::string>;

/// An SQL expression with the values of its question marks, in order.
struct SqlCondition {
    std::string sql;
    std::vector<SqlValue> values;

    void andAlso(const SqlCondition& other);
};

/// The rows of @p scopeId that match @p filter.
/// @param exceptKey  terms with this key are left out; "" leaves none out (full text has no facet)
/// @throws FilterError for a term that parseFilter() would not have let through
SqlCondition filterCondition(std::int64_t scopeId, const TriageFilter& filter, std::string_view exceptKey = {});

/// Binds @p values to the question marks from number @p first on. @return the number after the last one
int bindValues(SQLite::Statement& statement, const std::vector<SqlValue>& values, int first = 1);

/// @p text as one FTS5 phrase: no character of it is an operator.
/// @param prefix  the last word may go on
std::string ftsPhrase(std::string_view text, bool prefix);

} // namespace assay::store

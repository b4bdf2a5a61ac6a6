// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/code_table.h"
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

/// One term of the row half.
struct RowTerm {
    SqlCondition condition; ///< over `triage t`
    std::string_view index; ///< of triage, whose columns answer it without the table's row; "" where none does
};

/// A filter in halves that are joined by AND.
struct FilterParts {
    std::int64_t scopeId = 0;
    SqlCondition groups;                  ///< over `triage_facet g`, "" where no term asks for what a combination knows
    SqlCondition rows;                    ///< over `triage t`, "" where no term asks for more than that
    std::vector<RowTerm> rowTerms;        ///< what rows is made of
    std::shared_ptr<const IdSet> texts;   ///< kernels that the full-text terms find, nullptr without such terms
    std::shared_ptr<const IdSet> without; ///< kernels that negated full-text terms find, nullptr without such terms
    std::string_view rowIndex;            ///< the index of triage that answers the row half best, "" : SQLite decides

    bool asksRows() const { return texts != nullptr || without != nullptr || !rows.sql.empty(); }
    /// Whether the full-text terms take a kernel.
    bool takesText(std::int64_t kernelId) const
    {
        return (texts == nullptr || texts->contains(kernelId)) && (without == nullptr || !without->contains(kernelId));
    }
};

/// Runs the full-text search of @p filter.
/// @throws FilterError for a term that parseFilter() would not have let through; SQLite::Exception
FilterParts filterParts(SQLite::Database& database, std::int64_t scopeId, const TriageFilter& filter);

/// @p parts with the row half answered: its kernels are found term by term, each by its own index, and stand beside the texts.
FilterParts withRowsFound(SQLite::Database& database, const FilterParts& parts);

/// The same where several terms have an index each, which spares looking up every row that one of them finds; else @p parts.
FilterParts withFewLookUps(SQLite::Database& database, const FilterParts& parts);

/// The half that combinations answer, without the terms whose key is @p exceptKey.
FilterParts groupParts(std::int64_t scopeId, const TriageFilter& filter, std::string_view exceptKey);

/// The matching combinations, over `triage_facet g`.
SqlCondition groupCondition(const FilterParts& parts);

/// Which half of a filter leads to the rows; the others are tested on each row.
enum class Lead {
    Rows,   ///< whatever SQLite finds best for the row half; combinations are tested
    Codes,  ///< the index on combinations
    Texts,  ///< the kernels that full text found
    Marks,  ///< the few kernels with a note, bookmark or waiver: no others are found
    Caller, ///< the caller names the index, and tests combinations and texts itself: both are left out
};

/// The cheapest lead where every matching row is read.
Lead leadFor(const FilterParts& parts);

/// `triage t`, with the index that @p lead needs.
std::string rowSource(const FilterParts& parts, Lead lead);

/// The matching rows, over rowSource(parts, lead).
SqlCondition rowCondition(const FilterParts& parts, Lead lead);

/// The matching combinations, for the caller's own test.
class CodeTest {
public:
    CodeTest(SQLite::Database& database, const FilterParts& parts);
    explicit CodeTest(const std::vector<std::int64_t>& codes);
    bool operator()(std::int64_t facetCode) const { return m_all || m_codes[facetCode] != CodeTable::kNone; }
    bool passesAll() const { return m_all; }

private:
    static CodeTable tableOf(const std::vector<std::int64_t>& codes);

    bool m_all;
    CodeTable m_codes;
};

/// Binds @p values to the question marks from number @p first on; they must outlive the statement's steps.
/// @return the number after the last one
int bindValues(Statement& statement, const std::vector<SqlValue>& values, int first = 1);

} // namespace assay::store

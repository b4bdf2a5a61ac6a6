// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/statement.h"
#include "core/store/triage_sql.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>

/// Walks along an index that end where another way to the same page is cheaper.
namespace assay::store {

/// What a walk may still cost, in index rows read: about a quarter of a microsecond each.
struct WalkBudget {
    std::int64_t left = 0;
    bool isSpent() const { return left < 0; }
};

/// Looking up the table's row behind an index row costs as much as reading this many of the index.
inline constexpr std::int64_t kLookupCost = 12;

/// Tests the combination and the texts of every row that a walk reads, and counts what the walk costs.
///
/// Where the filter has a row half beside its texts, SQLite would skip rows by the thousand without a word; there the test is an
/// SQL function that comes before the row half, which also keeps SQLite from looking up rows whose combination does not match.
class BoundedWalk {
public:
    /// @param budget  nullptr: the walk goes to its end; outlives this, as @p parts and @p passes do
    BoundedWalk(SQLite::Database& database, const FilterParts& parts, const CodeTest& passes, WalkBudget* budget);
    BoundedWalk(const BoundedWalk&) = delete;
    BoundedWalk& operator=(const BoundedWalk&) = delete;

    /// "" or a condition over `triage t` that ends in AND; goes in front of the row half.
    std::string condition() const;
    /// Binds what condition() asks for from parameter @p first on. @return the number after the last one
    int bind(Statement& statement, int first) const;

    /// Steps to the next row whose combination and texts match. @return false at the end and where the budget is spent
    /// @param statement   its first column is t.kernel_id
    /// @param codeColumn  which column of @p statement is t.facet_code
    bool next(Statement& statement, int codeColumn);

    bool isSpent() const { return m_budget != nullptr && m_budget->isSpent(); }

    /// Charges one row. @return whether its combination matches
    bool charge(std::int64_t facetCode);

private:
    static constexpr int kKernelColumn = 0;
    bool step(Statement& statement);

    const FilterParts& m_parts;
    const CodeTest& m_passes;
    WalkBudget* m_budget;
    bool m_inSql;
    std::int64_t m_matchCost; ///< of a row whose combination matches
};

} // namespace assay::store

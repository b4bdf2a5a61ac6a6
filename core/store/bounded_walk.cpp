// SPDX-License-Identifier: Apache-2.0
#include "core/store/bounded_walk.h"

#include <sqlite3.h>

namespace assay::store {

namespace {

constexpr const char* kPointer = "assay-bounded-walk";

/// walk_takes(facet_code, walk). A walk that is spent fails, because SQLite would go on past every row that the row half refuses.
void walkTakes(sqlite3_context* context, int, sqlite3_value** arguments)
{
    auto* walk = static_cast<BoundedWalk*>(sqlite3_value_pointer(arguments[1], kPointer));
    const bool taken = walk != nullptr && walk->charge(sqlite3_value_int64(arguments[0]));
    if (walk != nullptr && walk->isSpent())
        sqlite3_result_error(context, "the walk is spent", -1);
    else
        sqlite3_result_int(context, taken ? 1 : 0);
}

} // namespace

BoundedWalk::BoundedWalk(SQLite::Database& database, const FilterParts& parts, const CodeTest& passes, WalkBudget* budget)
    : m_parts(parts)
    , m_passes(passes)
    , m_budget(budget)
    , m_inSql(budget != nullptr && !parts.rows.sql.empty())
    , m_matchCost(parts.rows.sql.empty() ? 1 : kLookupCost)
{
    if (m_inSql)
        registerFunction(database, "walk_takes", 0, walkTakes);
}

std::string BoundedWalk::condition() const
{
    return m_inSql ? "walk_takes(t.facet_code, ?) AND " : "";
}

int BoundedWalk::bind(Statement& statement, int first) const
{
    if (m_inSql)
        statement.pointer(first++, this, kPointer);
    return first;
}

bool BoundedWalk::charge(std::int64_t facetCode)
{
    const bool passes = m_passes(facetCode);
    if (m_budget != nullptr)
        m_budget->left -= passes ? m_matchCost : 1;
    return passes;
}

bool BoundedWalk::next(Statement& statement, int codeColumn)
{
    while (!isSpent() && step(statement)) {
        // In SQL the combination was tested there.
        if (!m_inSql && !charge(statement.integerAt(codeColumn)))
            continue;
        if (m_parts.takesText(statement.integerAt(kKernelColumn)))
            return !isSpent();
    }
    return false;
}

bool BoundedWalk::step(Statement& statement)
{
    try {
        return statement.step();
    } catch (const SQLite::Exception&) {
        if (m_inSql && isSpent())
            return false;
        throw;
    }
}

} // namespace assay::store

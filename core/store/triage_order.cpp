// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage_order.h"

#include "core/store/statement.h"
#include "core/store/triage_gather.h"
#include "core/store/triage_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <unordered_set>
#include <utility>

namespace assay::store {

namespace {

/// Combinations that share one value of the sort column.
struct Rank {
    std::vector<std::int64_t> codes;
    std::int64_t kernels = 0;
};

/// Kernels of the scope, and those whose combination matches.
struct GroupCount {
    std::int64_t all = 0;
    std::int64_t matching = 0;
};

GroupCount countGroups(const ListQuery& query)
{
    const std::string matches = query.parts.groups.sql.empty() ? "1" : query.parts.groups.sql;
    Statement statement(query.database,
                        "SELECT sum(g.kernels) FILTER (WHERE " + matches
                            + "), sum(g.kernels) FROM triage_facet g WHERE g.scope_id = ?");
    statement.integer(bindValues(statement, query.parts.groups.values), query.parts.scopeId);
    GroupCount out;
    if (statement.step())
        out = {statement.integerAt(1), statement.integerAt(0)};
    return out;
}

/// Rows that match the row half of the filter, counted no further than @p atMost where that takes reading them.
std::int64_t matchingRows(const ListQuery& query, std::int64_t atMost)
{
    const FilterParts& parts = query.parts;
    if (parts.texts != nullptr && (parts.rows.sql.empty() || static_cast<std::int64_t>(parts.texts->size()) < atMost))
        return static_cast<std::int64_t>(parts.texts->size());
    SqlCondition where{"t.scope_id = ?", {parts.scopeId}};
    where.andAlso(parts.rows);
    Statement statement(query.database,
                        "SELECT count(*) FROM (SELECT 1 FROM " + rowSource(parts, Lead::Rows) + " WHERE " + where.sql
                            + " LIMIT ?)");
    statement.integer(bindValues(statement, where.values), atMost);
    return singleInteger(statement).value_or(0);
}

std::vector<Rank> ranksOf(const ListQuery& query)
{
    const std::string column = "g." + std::string(groupColumn(query.sort.column));
    const SqlCondition where = groupCondition(query.parts);
    Statement statement(query.database,
                        "SELECT g.facet_code, g.kernels, " + column + " FROM triage_facet g WHERE " + where.sql + " ORDER BY "
                            + column + (query.sort.descending ? " DESC" : ""));
    bindValues(statement, where.values);
    std::vector<Rank> ranks;
    std::string current;
    while (statement.step()) {
        if (ranks.empty() || statement.textAt(2) != current) {
            ranks.emplace_back();
            current = statement.textAt(2);
        }
        ranks.back().codes.push_back(statement.integerAt(0));
        ranks.back().kernels += statement.integerAt(1);
    }
    return ranks;
}

GroupRanks rankByCode(const std::vector<Rank>& ranks)
{
    GroupRanks out;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        for (const std::int64_t code : ranks[i].codes)
            out.emplace(code, static_cast<int>(i));
    }
    return out;
}

/// The first rows, in natural order, of many combinations: reads of each only what may still be among the first.
class FirstOfGroups {
public:
    explicit FirstOfGroups(const ListQuery& query)
        : m_kinds(idKinds(query.database, query.parts.scopeId))
        , m_rows(rowCondition(query.parts, Lead::Caller))
        , m_numbers(query.database, sql("t.external_number >= -9e999", m_rows))
        , m_texts(query.database, sql("t.external_number IS NULL", m_rows))
    {
    }

    void append(const Rank& rank, std::size_t limit, std::vector<std::int64_t>& ids)
    {
        std::priority_queue<NaturalKey> best; // its top is the last of the best
        for (const std::int64_t code : rank.codes) {
            if (m_kinds.numbers)
                readGroup(m_numbers, code, limit, best);
            if (m_kinds.texts)
                readGroup(m_texts, code, limit, best);
        }
        const std::size_t start = ids.size();
        for (; !best.empty(); best.pop())
            ids.push_back(best.top().kernelId);
        std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(start), ids.end());
    }

private:
    static std::string sql(const std::string& kind, const SqlCondition& rows)
    {
        return "SELECT t.kernel_id, t.external_number, t.external_id FROM triage t INDEXED BY triage_code WHERE t.facet_code = ? "
               "AND "
            + kind + " AND " + rows.sql + " ORDER BY t.external_number, t.external_id, t.kernel_id";
    }

    void readGroup(Statement& statement, std::int64_t code, std::size_t limit, std::priority_queue<NaturalKey>& best)
    {
        statement.integer(1, code);
        bindValues(statement, m_rows.values, 2);
        while (statement.step()) {
            NaturalKey key{statement.isNull(1), statement.integerAt(1), std::string(statement.textAt(2)), statement.integerAt(0)};
            if (best.size() == limit) {
                if (!(key < best.top()))
                    break;
                best.pop();
            }
            best.push(std::move(key));
        }
        statement.reset();
    }

    IdKinds m_kinds;
    SqlCondition m_rows;
    Statement m_numbers;
    Statement m_texts;
};

/// A page of combinations in order of their ranks, combination by combination.
std::vector<std::int64_t> pageOfGroups(const ListQuery& query, const std::vector<Rank>& ranks)
{
    FirstOfGroups first(query);
    std::vector<std::int64_t> ids;
    for (const Rank& rank : ranks) {
        const auto missing = query.limit - static_cast<std::int64_t>(ids.size());
        if (missing <= 0)
            break;
        first.append(rank, static_cast<std::size_t>(missing), ids);
    }
    return ids;
}

/// The same page where the rows of a common rank are met soon in natural order; those of a rare one are read by combination.
/// @param rowShare  how many of the scope's rows match the row half, 0 to 1
/// @return nothing where the budget was spent, or would be, before the page was full
std::optional<std::vector<std::int64_t>> pageOfCommonGroups(const ListQuery& query, const std::vector<Rank>& ranks,
                                                            std::int64_t kernels, double rowShare, WalkBudget budget)
{
    FirstOfGroups first(query);
    const std::int64_t rowCost = query.parts.rows.sql.empty() ? 1 : kLookupCost;
    std::vector<std::int64_t> ids;
    const auto missing = [&] { return query.limit - static_cast<std::int64_t>(ids.size()); };
    for (const Rank& rank : ranks) {
        if (missing() <= 0)
            break;
        const double met = static_cast<double>(missing()) / rowShare;
        const double walked
            = met * static_cast<double>(kernels) / static_cast<double>(rank.kernels) + met * static_cast<double>(rowCost - 1);
        // Each combination is sought on its own.
        const std::int64_t read = rank.kernels * rowCost + static_cast<std::int64_t>(rank.codes.size()) * kLookupCost;
        if (std::min(walked, static_cast<double>(read)) > static_cast<double>(budget.left))
            return std::nullopt;
        if (static_cast<double>(read) <= walked) {
            first.append(rank, static_cast<std::size_t>(missing()), ids);
            budget.left -= read;
        } else if (!walkNaturalOrder(query, CodeTest(rank.codes), &budget, [&](std::int64_t kernelId, std::int64_t) {
                       ids.push_back(kernelId);
                       return missing() > 0;
                   })) {
            return std::nullopt;
        }
    }
    return ids;
}

/// Everything in natural order, dealt out by rank: no comparison at all.
std::vector<std::int64_t> allByGroup(const ListQuery& query, const std::vector<Rank>& ranks)
{
    const GroupRanks byCode = rankByCode(ranks);
    std::vector<std::vector<std::int64_t>> dealt(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i)
        dealt[i].reserve(!query.parts.asksRows() ? static_cast<std::size_t>(ranks[i].kernels) : 0);
    walkNaturalOrder(query, CodeTest(query.database, query.parts), nullptr, [&](std::int64_t kernelId, std::int64_t code) {
        if (const auto rank = byCode.find(code); rank != byCode.end())
            dealt[static_cast<std::size_t>(rank->second)].push_back(kernelId);
        return true;
    });
    std::vector<std::int64_t> ids;
    for (const auto& some : dealt)
        ids.insert(ids.end(), some.begin(), some.end());
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(query.limit)));
    return ids;
}

/// Few kernels bear a mark; they are sorted, and the others follow (or come first) in natural order.
/// @return nothing where the budget was spent before the list was full
std::optional<std::vector<std::int64_t>> listByMarks(const ListQuery& query, WalkBudget* budget)
{
    ListQuery all = query;
    all.limit = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> marked = gatherAndSort(all, {}, Lead::Marks);
    const std::unordered_set<std::int64_t> isMarked(marked.begin(), marked.end());
    std::vector<std::int64_t> ids;
    if (query.sort.descending)
        ids = marked;
    const auto isFull = [&] { return static_cast<std::int64_t>(ids.size()) >= query.limit; };
    const auto add = [&](std::int64_t kernelId, std::int64_t) {
        if (!isMarked.contains(kernelId))
            ids.push_back(kernelId);
        return !isFull();
    };
    if (!isFull() && !walkNaturalOrder(query, CodeTest(query.database, query.parts), budget, add))
        return std::nullopt;
    if (!query.sort.descending)
        ids.insert(ids.end(), marked.begin(), marked.end());
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(query.limit)));
    return ids;
}

/// The beginning of a list by a walk that ends before it costs more than what comes after it.
/// @param rowShare  how many of the scope's rows match the row half, 0 to 1
std::optional<std::vector<std::int64_t>> walkForPage(const ListQuery& query, const std::vector<Rank>& ranks, std::int64_t kernels,
                                                     double rowShare, WalkBudget budget)
{
    if (!ranks.empty())
        return pageOfCommonGroups(query, ranks, kernels, rowShare, budget);
    return query.sort.column == TriageColumn::Flags ? listByMarks(query, &budget) : walkSortIndex(query, &budget);
}

/// Many rows, whatever it costs.
std::vector<std::int64_t> listOfMany(const ListQuery& query, const std::vector<Rank>& ranks, const GroupCount& groups)
{
    if (!ranks.empty() && query.parts.asksRows()) {
        // The row half is answered by a sort index, and those hold all that this needs: ids and combination.
        return gatherAndSort(query, rankByCode(ranks), leadFor(query.parts));
    }
    if (!ranks.empty())
        return query.limit < groups.matching ? pageOfGroups(query, ranks) : allByGroup(query, ranks);
    if (!query.parts.rows.sql.empty()) {
        // A sort index has no column of another one: looking each row up would cost more than finding them beforehand.
        const FilterParts found = withRowsFound(query.database, query.parts);
        return listOfMany({query.database, found, query.sort, query.limit}, ranks, groups);
    }
    return query.sort.column == TriageColumn::Flags ? *listByMarks(query, nullptr) : *walkSortIndex(query);
}

} // namespace

std::string_view groupColumn(TriageColumn column)
{
    switch (column) {
    case TriageColumn::Family:
        return "family";
    case TriageColumn::Language:
        return "language";
    case TriageColumn::Outcome:
        return "outcome";
    case TriageColumn::Status:
        return "status";
    case TriageColumn::Claim:
        return "claim";
    case TriageColumn::Baseline:
        return "baseline";
    case TriageColumn::Reason:
        return "lead_reason";
    case TriageColumn::Gates:
        return "fail_mask";
    case TriageColumn::HardFailures:
        return "hard_failures";
    case TriageColumn::SoftFailures:
        return "soft_failures";
    default:
        return {};
    }
}

std::vector<std::int64_t> orderedIds(SQLite::Database& database, const FilterParts& parts, const TriageSort& sort,
                                     std::int64_t limit, const ListEffort& effort)
{
    const ListQuery query{database, parts, sort, limit < 0 ? std::numeric_limits<std::int64_t>::max() : limit};
    if (limit == 0)
        return {};
    const GroupCount groups = countGroups(query);
    if (groups.matching == 0)
        return {};
    const std::int64_t rows = !parts.asksRows() ? groups.matching : matchingRows(query, effort.gatherAtMost + 1);
    if (rows == 0)
        return {};
    const std::int64_t few = std::min(groups.matching, rows);
    const bool isFew = few <= effort.gatherAtMost;
    const std::vector<Rank> ranks = groupColumn(sort.column).empty() ? std::vector<Rank>() : ranksOf(query);
    // Combinations that lead know all that a sort by them needs. Where a walk through the index alone is what remains for many
    // rows, it is not begun twice.
    const bool isCheap = isFew && !ranks.empty() && !parts.asksRows();
    const bool isWalkAnyway = !isFew && ranks.empty() && parts.rows.sql.empty();
    const std::int64_t rowCost = parts.rows.sql.empty() ? 1 : kLookupCost;
    const bool isSoonFull = static_cast<double>(query.limit) * static_cast<double>(groups.all) * static_cast<double>(rowCost)
        <= static_cast<double>(few) * static_cast<double>(few) * static_cast<double>(kLookupCost);
    if (query.limit < few && isSoonFull && !isCheap && !isWalkAnyway) {
        // Of rows that were not counted to the end the share is anything between what was counted and all: the middle of the
        // magnitudes is a guess, and the budget bounds what it costs.
        const double counted = static_cast<double>(rows) / static_cast<double>(groups.all);
        const bool isCounted = parts.rows.sql.empty() || rows <= effort.gatherAtMost;
        const double rowShare = !parts.asksRows() ? 1.0 : isCounted ? counted : std::sqrt(counted);
        if (auto page = walkForPage(query, ranks, groups.all, rowShare, {effort.walkAtMost}))
            return *std::move(page);
    }
    if (isFew)
        return gatherAndSort(query, rankByCode(ranks), groups.matching <= rows ? Lead::Codes : leadFor(parts));
    return listOfMany(query, ranks, groups);
}

} // namespace assay::store

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

/// Rows that match the row half of the filter.
struct RowCount {
    std::int64_t rows = 0;     ///< no more than these, unless the counting ended before
    bool isExact = false;      ///< just these, give or take kernels of other scopes
    std::string_view rowIndex; ///< of the term that fewest rows match, "" where no term has an index
};

std::int64_t countUpTo(const ListQuery& query, const std::string& source, const SqlCondition& rows, std::int64_t atMost)
{
    SqlCondition where{"t.scope_id = ?", {query.parts.scopeId}};
    where.andAlso(rows);
    Statement statement(query.database, "SELECT count(*) FROM (SELECT 1 FROM " + source + " WHERE " + where.sql + " LIMIT ?)");
    statement.integer(bindValues(statement, where.values), atMost);
    return singleInteger(statement).value_or(0);
}

/// Counts no further than @p atMost where that takes reading rows. Each term is counted along its own index: to count those that
/// match all terms the table's rows would have to be looked up, however few of them do.
/// @param all  rows of the scope
RowCount matchingRows(const ListQuery& query, std::int64_t all, std::int64_t atMost)
{
    const FilterParts& parts = query.parts;
    if (parts.rows.sql.empty() && parts.texts == nullptr)
        return {std::max<std::int64_t>(1, all - static_cast<std::int64_t>(parts.without->size())), true, {}};
    RowCount out{std::numeric_limits<std::int64_t>::max(), false, {}};
    if (parts.texts != nullptr) {
        out.rows = static_cast<std::int64_t>(parts.texts->size());
        out.isExact = parts.rows.sql.empty();
        if (out.isExact || out.rows < atMost)
            return out;
    }
    for (const RowTerm& term : parts.rowTerms) {
        if (term.index.empty())
            continue;
        const std::int64_t rows = countUpTo(query, "triage t INDEXED BY " + std::string(term.index), term.condition, atMost);
        if (out.rowIndex.empty() || rows < out.rows)
            out = {rows, parts.rowTerms.size() == 1 && parts.texts == nullptr && rows < atMost, term.index};
    }
    if (out.rowIndex.empty()) {
        const std::int64_t rows = countUpTo(query, rowSource(parts, Lead::Rows), parts.rows, atMost);
        out = {rows, parts.texts == nullptr && rows < atMost, {}};
    }
    return out;
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
    std::size_t codes = 0;
    for (const Rank& rank : ranks)
        codes += rank.codes.size();
    GroupRanks out(codes);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        for (const std::int64_t code : ranks[i].codes)
            out.add(code, static_cast<int>(i));
    }
    return out;
}

/// The first rows, in natural order, of many combinations: reads of each only what may still be among the first.
class FirstOfGroups {
public:
    explicit FirstOfGroups(const ListQuery& query)
        : m_parts(query.parts)
        , m_kinds(idKinds(query.database, query.parts.scopeId))
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
            if (!m_parts.takesText(statement.integerAt(0)))
                continue;
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

    const FilterParts& m_parts;
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
/// @param certain   what reading combinations may cost beside the budget: it is known beforehand, and no more than what the other
///                  way to the page costs
/// @return nothing where the budget was spent, or would be, before the page was full
std::optional<std::vector<std::int64_t>> pageOfCommonGroups(const ListQuery& query, const std::vector<Rank>& ranks,
                                                            std::int64_t kernels, double rowShare, WalkBudget budget,
                                                            std::int64_t certain)
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
        const std::size_t before = ids.size();
        if (walked <= static_cast<double>(budget.left) && walked < static_cast<double>(read)) {
            const auto take = [&](std::int64_t kernelId, std::int64_t) {
                ids.push_back(kernelId);
                return missing() > 0;
            };
            if (walkNaturalOrder(query, CodeTest(rank.codes), &budget, take))
                continue;
            // The rows of this rank match less often than most, or not at all.
            ids.resize(before);
        }
        if (read > std::max(budget.left, certain))
            return std::nullopt;
        first.append(rank, static_cast<std::size_t>(missing()), ids);
        (read <= certain ? certain : budget.left) -= read;
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
        if (const int rank = byCode[code]; rank != GroupRanks::kNone)
            dealt[static_cast<std::size_t>(rank)].push_back(kernelId);
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
/// @param certain   see pageOfCommonGroups()
std::optional<std::vector<std::int64_t>> walkForPage(const ListQuery& query, const std::vector<Rank>& ranks, std::int64_t kernels,
                                                     double rowShare, WalkBudget budget, std::int64_t certain)
{
    if (!ranks.empty())
        return pageOfCommonGroups(query, ranks, kernels, rowShare, budget, certain);
    return query.sort.column == TriageColumn::Flags ? listByMarks(query, &budget) : walkSortIndex(query, &budget);
}

/// A list by combinations of the rows that one index answers, which holds all that it takes: a page that is met at once, or every
/// row read along the index.
/// @param rowShare  how many of the scope's rows match, 0 to 1
/// @return nothing where that is not so, or not within the effort
std::optional<std::vector<std::int64_t>> listAlongIndex(const ListQuery& query, const std::vector<Rank>& ranks,
                                                        std::int64_t kernels, double rowShare, const ListEffort& effort)
{
    const FilterParts& parts = query.parts;
    if (ranks.empty() || parts.rowTerms.size() != 1 || parts.rowTerms.front().index.empty() || parts.texts != nullptr)
        return std::nullopt;
    constexpr std::int64_t kGlance = 20; // a walk may cost this part of its budget before the index is read
    if (auto page = pageOfCommonGroups(query, ranks, kernels, rowShare, {effort.walkAtMost / kGlance}, 0))
        return page;
    return gatherAndSort(query, rankByCode(ranks), Lead::Rows, effort.indexGatherAtMost);
}

/// Many rows, whatever it costs.
std::vector<std::int64_t> listOfMany(const ListQuery& query, const std::vector<Rank>& ranks, const GroupCount& groups,
                                     const ListEffort& effort)
{
    if (!query.parts.rows.sql.empty()) {
        // A sort index has no column of another one: looking each row up would cost more than finding them beforehand.
        const FilterParts found = withRowsFound(query.database, query.parts);
        if (found.texts->isEmpty())
            return {};
        const ListQuery foundQuery{query.database, found, query.sort, query.limit};
        const auto rows = static_cast<std::int64_t>(found.texts->size());
        if (!ranks.empty() && query.limit < std::min(groups.matching, rows)) {
            const double share = static_cast<double>(rows) / static_cast<double>(groups.all);
            const std::int64_t certain = rows * ListEffort::kIndexGatherCost;
            if (auto page
                = pageOfCommonGroups(foundQuery, ranks, groups.all, share, {std::min(effort.walkAtMost, certain)}, certain))
                return *std::move(page);
        }
        if (rows <= effort.gatherAtMost)
            return gatherAndSort(foundQuery, rankByCode(ranks), leadFor(found));
        // What one index answers is read along it once more: it holds all that a sort by combinations needs.
        if (!ranks.empty() && query.parts.rowTerms.size() == 1)
            return gatherAndSort(query, rankByCode(ranks), leadFor(query.parts));
        return listOfMany(foundQuery, ranks, groups, effort);
    }
    if (!ranks.empty() && query.parts.asksRows())
        return gatherAndSort(query, rankByCode(ranks), leadFor(query.parts));
    if (!ranks.empty())
        return query.limit < groups.matching ? pageOfGroups(query, ranks) : allByGroup(query, ranks);
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

std::vector<std::int64_t> orderedIds(SQLite::Database& database, const FilterParts& asked, const TriageSort& sort,
                                     std::int64_t limit, const ListEffort& effort)
{
    FilterParts parts = asked;
    const ListQuery query{database, parts, sort, limit < 0 ? std::numeric_limits<std::int64_t>::max() : limit};
    if (limit == 0)
        return {};
    const GroupCount groups = countGroups(query);
    if (groups.matching == 0)
        return {};
    const RowCount rowCount
        = !parts.asksRows() ? RowCount{groups.matching, true, {}} : matchingRows(query, groups.all, effort.gatherAtMost + 1);
    const std::int64_t rows = rowCount.rows;
    if (rows == 0)
        return {};
    if (!rowCount.rowIndex.empty())
        parts.rowIndex = rowCount.rowIndex;
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
    // Of rows that were not counted to the end the share is anything between what was counted and all: the middle of the
    // magnitudes is a guess, and the budget bounds what it costs.
    const double counted = static_cast<double>(rows) / static_cast<double>(groups.all);
    const double rowShare = !parts.asksRows() ? 1.0 : rowCount.isExact ? counted : std::sqrt(counted);
    if (!isFew) {
        if (auto list = listAlongIndex(query, ranks, groups.all, rowShare, effort))
            return *std::move(list);
    }
    if (query.limit < few && isSoonFull && !isCheap && !isWalkAnyway) {
        const std::int64_t certain = isFew ? few * ListEffort::kGatherCost : 0;
        // Where every term has an index the rows are found soon without a walk that looks them up.
        const bool isFoundSoon = !isFew && !parts.rows.sql.empty()
            && std::ranges::none_of(parts.rowTerms, [](const RowTerm& term) { return term.index.empty(); });
        const WalkBudget budget{isFoundSoon ? effort.walkAtMost / 8 : effort.walkAtMost};
        if (auto page = walkForPage(query, ranks, groups.all, rowShare, budget, certain))
            return *std::move(page);
    }
    if (isFew)
        return gatherAndSort(query, rankByCode(ranks), groups.matching <= rows ? Lead::Codes : leadFor(parts));
    return listOfMany(query, ranks, groups, effort);
}

} // namespace assay::store

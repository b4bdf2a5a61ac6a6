// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage_order.h"

#include "core/store/statement.h"
#include "core/store/triage_gather.h"
#include "core/store/triage_walk.h"

#include <algorithm>
#include <limits>
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

std::int64_t matchingGroups(const ListQuery& query)
{
    const SqlCondition where = groupCondition(query.parts);
    Statement statement(query.database, "SELECT sum(g.kernels) FROM triage_facet g WHERE " + where.sql);
    bindValues(statement, where.values);
    return singleInteger(statement).value_or(0);
}

/// Rows that match the row half of the filter, counted no further than it matters.
std::int64_t matchingRows(const ListQuery& query, std::int64_t atMost)
{
    const FilterParts& parts = query.parts;
    if (parts.texts != nullptr && static_cast<std::int64_t>(parts.texts->size()) < atMost)
        return static_cast<std::int64_t>(parts.texts->size());
    if (parts.rows.sql.empty())
        return atMost;
    SqlCondition where{"t.scope_id = ?", {parts.scopeId}};
    where.andAlso(parts.rows);
    Statement statement(query.database, "SELECT count(*) FROM (SELECT 1 FROM triage t WHERE " + where.sql + " LIMIT ?)");
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

/// Everything in natural order, dealt out by rank: no comparison at all.
std::vector<std::int64_t> allByGroup(const ListQuery& query, const std::vector<Rank>& ranks)
{
    const GroupRanks byCode = rankByCode(ranks);
    std::vector<std::vector<std::int64_t>> dealt(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i)
        dealt[i].reserve(!query.parts.asksRows() ? static_cast<std::size_t>(ranks[i].kernels) : 0);
    walkNaturalOrder(query, [&](std::int64_t kernelId, std::int64_t code) {
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
std::vector<std::int64_t> listByMarks(const ListQuery& query)
{
    ListQuery all = query;
    all.limit = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> marked = gatherAndSort(all, {}, Lead::Marks);
    const std::unordered_set<std::int64_t> isMarked(marked.begin(), marked.end());
    std::vector<std::int64_t> ids;
    if (query.sort.descending)
        ids = marked;
    const CodeTest passes(query.database, query.parts);
    const auto isFull = [&] { return static_cast<std::int64_t>(ids.size()) >= query.limit; };
    if (!isFull())
        walkNaturalOrder(query, [&](std::int64_t kernelId, std::int64_t code) {
            if (passes(code) && !isMarked.contains(kernelId))
                ids.push_back(kernelId);
            return !isFull();
        });
    if (!query.sort.descending)
        ids.insert(ids.end(), marked.begin(), marked.end());
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(query.limit)));
    return ids;
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
                                     std::int64_t limit, std::int64_t gatherAtMost)
{
    const ListQuery query{database, parts, sort, limit < 0 ? std::numeric_limits<std::int64_t>::max() : limit};
    if (limit == 0)
        return {};
    const std::int64_t groups = matchingGroups(query);
    if (groups == 0)
        return {};
    const std::int64_t rows = !parts.asksRows() ? groups : matchingRows(query, gatherAtMost + 1);
    const std::vector<Rank> ranks = groupColumn(sort.column).empty() ? std::vector<Rank>() : ranksOf(query);
    if (std::min(groups, rows) <= gatherAtMost)
        return gatherAndSort(query, rankByCode(ranks), groups <= rows ? Lead::Codes : leadFor(parts));
    if (!ranks.empty() && parts.asksRows()) {
        // The row half is answered by a sort index, and those hold all that this needs: ids and combination.
        return gatherAndSort(query, rankByCode(ranks), leadFor(parts));
    }
    if (!ranks.empty())
        return query.limit < groups ? pageOfGroups(query, ranks) : allByGroup(query, ranks);
    if (sort.column == TriageColumn::Flags)
        return listByMarks(query);
    return walkSortIndex(query);
}

} // namespace assay::store

// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage_walk.h"

#include "core/store/statement.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

namespace assay::store {

namespace {

// "IS NOT NULL" as a range, so that the index seeks to the first value instead of reading past every row without one.
constexpr std::string_view kIsNumber = "t.external_number >= -9e999";
constexpr std::string_view kIsText = "t.external_number IS NULL";
constexpr int kCodeInRun = 2; ///< column of the combination in walkRuns()
constexpr int kFirstKey = 3;  ///< column of the first sort key in walkRuns()
constexpr std::string_view kTies = "t.external_number, t.external_id, t.kernel_id";

/// A part of a sort index whose rows stand together in the list.
struct Segment {
    std::string condition; ///< "" : the whole index
    bool tied = false;     ///< its rows differ in nothing but their ids
};

struct SortIndex {
    TriageColumn column;
    std::string_view name;
    std::array<std::string_view, 2> keys; ///< columns behind scope_id, in front of the ids
    bool nullable = true;
};

constexpr std::array kSortIndexes = {
    SortIndex{TriageColumn::Title, "triage_title", {"t.title", ""}, false},
    SortIndex{TriageColumn::Error, "triage_error", {"t.error_rank", ""}},
    SortIndex{TriageColumn::Relative, "triage_relative", {"t.relative", "t.relative_class"}},
    SortIndex{TriageColumn::Speedup, "triage_speedup", {"t.speedup", ""}},
    SortIndex{TriageColumn::Elapsed, "triage_elapsed", {"t.elapsed_seconds", ""}},
    SortIndex{TriageColumn::Exercised, "triage_exercised", {"t.exercised", ""}},
    SortIndex{TriageColumn::Id, "triage_id", {"t.external_number", "t.external_id"}, false},
};

const SortIndex& sortIndex(TriageColumn column)
{
    return *std::ranges::find(kSortIndexes, column, &SortIndex::column);
}

std::vector<Segment> segmentsOf(const SortIndex& index, bool descending)
{
    const std::string key(index.keys[0]);
    if (index.column == TriageColumn::Id) {
        if (!descending)
            return {{"", true}};
        return {{std::string(kIsText), false}, {std::string(kIsNumber), false}};
    }
    if (!index.nullable)
        return {{"", false}};
    if (index.column != TriageColumn::Relative)
        return {{key + " >= -9e999", false}, {key + " IS NULL", true}};
    const auto ofClass = [](std::string_view test) {
        return Segment{"t.relative IS NULL AND t.relative_class " + std::string(test), true};
    };
    std::vector<Segment> segments
        = {ofClass("= '-inf'"), {"t.relative >= -9e999", false}, ofClass("= '+inf'"), ofClass("= 'nan'")};
    if (descending)
        std::ranges::reverse(segments);
    segments.push_back(ofClass("IS NULL"));
    return segments;
}

class Walker {
public:
    Walker(const ListQuery& query, WalkBudget* budget)
        : m_query(query)
        , m_index(sortIndex(query.sort.column))
        , m_where(rowCondition(query.parts, Lead::Caller))
        , m_passes(query.database, query.parts)
        , m_walk(query.database, query.parts, m_passes, budget)
        , m_kinds(idKinds(query.database, query.parts.scopeId))
    {
    }

    std::optional<std::vector<std::int64_t>> run()
    {
        for (const Segment& segment : segmentsOf(m_index, m_query.sort.descending)) {
            if (need() <= 0 || m_walk.isSpent())
                break;
            if (segment.tied)
                walkTied(segment.condition, {});
            else
                walkValues(segment.condition);
        }
        if (m_walk.isSpent())
            return std::nullopt;
        return std::move(m_ids);
    }

private:
    std::int64_t need() const { return m_query.limit - static_cast<std::int64_t>(m_ids.size()); }

    std::string from(std::string_view condition) const
    {
        std::string sql = " FROM triage t INDEXED BY " + std::string(m_index.name) + " WHERE ";
        if (!condition.empty())
            sql += std::string(condition) + " AND ";
        return sql + m_walk.condition() + m_where.sql;
    }

    void bind(Statement& statement, const std::vector<SqlValue>& first) const
    {
        bindValues(statement, m_where.values, m_walk.bind(statement, bindValues(statement, first)));
    }

    /// Rows of one value: in natural order of ids whichever way the list is sorted.
    void walkTied(const std::string& condition, const std::vector<SqlValue>& values)
    {
        for (const bool texts : {false, true}) {
            if (need() <= 0 || !(texts ? m_kinds.texts : m_kinds.numbers))
                continue;
            std::string whole(texts ? kIsText : kIsNumber);
            if (!condition.empty())
                whole = condition + " AND " + whole;
            append(whole, values, " ORDER BY " + std::string(kTies));
        }
    }

    /// Rows of different values. The index is read in the list's direction; where that turns the ids of equal values around, each
    /// run of equal values is put right.
    void walkValues(const std::string& condition)
    {
        const bool mixed = m_kinds.texts && m_kinds.numbers;
        if (!m_query.sort.descending && !mixed) {
            append(condition, {}, order());
            return;
        }
        walkRuns(condition);
    }

    std::string order() const
    {
        const std::string direction = m_query.sort.descending ? " DESC, " : ", ";
        std::string sql = " ORDER BY ";
        for (const std::string_view key : keys())
            sql += std::string(key) + direction;
        if (m_index.column != TriageColumn::Id)
            sql += "t.external_number" + direction + "t.external_id" + direction;
        return sql + "t.kernel_id" + (m_query.sort.descending ? " DESC" : "");
    }

    std::span<const std::string_view> keys() const { return std::span(m_index.keys).first(m_index.keys[1].empty() ? 1 : 2); }

    void walkRuns(const std::string& condition)
    {
        std::string columns;
        for (const std::string_view key : keys())
            columns += ", " + std::string(key);
        Statement statement(m_query.database,
                            "SELECT t.kernel_id, t.external_number IS NULL, t.facet_code" + columns + from(condition) + order());
        const std::int64_t wanted = need();
        bind(statement, {});
        std::int64_t rows = 0;
        m_runStart = m_ids.size();
        m_texts.clear();
        std::vector<SqlValue> current;
        while (rows < wanted && m_walk.next(statement, kCodeInRun)) {
            if (rows++ == 0 || !isSame(statement, current)) {
                endRun();
                read(statement, current);
            }
            (statement.integerAt(1) != 0 ? m_texts : m_ids).push_back(statement.integerAt(0));
        }
        if (rows < wanted) {
            endRun();
            return;
        }
        // The page may end amid a run, and then holds the wrong end of it. The value alone pins the segment: with the segment's
        // range beside it SQLite would seek by the range and sort.
        m_ids.resize(m_runStart);
        m_texts.clear();
        std::string sameValue;
        for (const std::string_view key : keys())
            sameValue += (sameValue.empty() ? "" : " AND ") + std::string(key) + " IS ?";
        if (m_index.column == TriageColumn::Id)
            append(sameValue, current, " ORDER BY t.kernel_id");
        else
            walkTied(sameValue, current);
    }

    /// The ids that match @p condition, as many as the page still takes.
    void append(const std::string& condition, const std::vector<SqlValue>& values, const std::string& orderBy)
    {
        Statement statement(m_query.database, "SELECT t.kernel_id, t.facet_code" + from(condition) + orderBy);
        bind(statement, values);
        while (need() > 0 && m_walk.next(statement, 1))
            m_ids.push_back(statement.integerAt(0));
    }

    void endRun()
    {
        const auto start = m_ids.begin() + static_cast<std::ptrdiff_t>(m_runStart);
        if (m_query.sort.descending) {
            std::reverse(start, m_ids.end());
            std::ranges::reverse(m_texts);
        }
        m_ids.insert(m_ids.end(), m_texts.begin(), m_texts.end());
        m_texts.clear();
        m_runStart = m_ids.size();
    }

    bool isText(std::size_t key) const
    {
        return m_index.keys[key] == "t.title" || m_index.keys[key] == "t.external_id" || m_index.keys[key] == "t.relative_class";
    }
    bool isInteger(std::size_t key) const
    {
        return m_index.keys[key] == "t.external_number" || m_index.keys[key] == "t.exercised";
    }

    void read(const Statement& statement, std::vector<SqlValue>& values) const
    {
        values.clear();
        for (std::size_t i = 0; i < keys().size(); ++i) {
            const int column = static_cast<int>(i) + kFirstKey;
            if (statement.isNull(column))
                values.emplace_back(std::monostate());
            else if (isText(i))
                values.emplace_back(std::string(statement.textAt(column)));
            else if (isInteger(i))
                values.emplace_back(statement.integerAt(column));
            else
                values.emplace_back(statement.realAt(column));
        }
    }

    bool isSame(const Statement& statement, const std::vector<SqlValue>& values) const
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const int column = static_cast<int>(i) + kFirstKey;
            if (const auto* real = std::get_if<double>(&values[i])) {
                if (statement.realAt(column) != *real)
                    return false;
            } else if (const auto* integer = std::get_if<std::int64_t>(&values[i])) {
                if (statement.integerAt(column) != *integer)
                    return false;
            } else if (const auto* text = std::get_if<std::string>(&values[i])) {
                if (statement.textAt(column) != *text)
                    return false;
            } else if (!statement.isNull(column)) {
                return false;
            }
        }
        return true;
    }

    const ListQuery& m_query;
    const SortIndex& m_index;
    SqlCondition m_where;
    CodeTest m_passes; ///< here, because SQLite would take twice as long for each row
    BoundedWalk m_walk;
    IdKinds m_kinds;
    std::vector<std::int64_t> m_ids;
    std::vector<std::int64_t> m_texts; ///< of the run at the end of m_ids: rows whose id is a text
    std::size_t m_runStart = 0;
};

bool exists(SQLite::Database& database, std::int64_t scopeId, std::string_view condition)
{
    Statement statement(database,
                        "SELECT EXISTS (SELECT 1 FROM triage t INDEXED BY triage_id WHERE t.scope_id = ? AND "
                            + std::string(condition) + ")");
    return singleInteger(statement.integer(1, scopeId)).value_or(0) != 0;
}

} // namespace

std::optional<std::vector<std::int64_t>> walkSortIndex(const ListQuery& query, WalkBudget* budget)
{
    return Walker(query, budget).run();
}

bool walkNaturalOrder(const ListQuery& query, const CodeTest& passes, WalkBudget* budget,
                      const std::function<bool(std::int64_t, std::int64_t)>& each)
{
    const SqlCondition where = rowCondition(query.parts, Lead::Caller);
    BoundedWalk walk(query.database, query.parts, passes, budget);
    for (const std::string_view kind : {kIsNumber, kIsText}) {
        Statement statement(query.database,
                            "SELECT t.kernel_id, t.facet_code FROM triage t INDEXED BY triage_id WHERE " + std::string(kind)
                                + " AND " + walk.condition() + where.sql + " ORDER BY " + std::string(kTies));
        bindValues(statement, where.values, walk.bind(statement, 1));
        while (walk.next(statement, 1)) {
            if (!each(statement.integerAt(0), statement.integerAt(1)))
                return true;
        }
    }
    return !walk.isSpent();
}

IdKinds idKinds(SQLite::Database& database, std::int64_t scopeId)
{
    return {exists(database, scopeId, kIsText), exists(database, scopeId, kIsNumber)};
}

} // namespace assay::store

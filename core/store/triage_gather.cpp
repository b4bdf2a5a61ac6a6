// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage_gather.h"

#include "core/store/statement.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace assay::store {

namespace {

struct Gathered {
    bool absent = false; ///< no value: last in both directions
    double number = 0;
    std::string text;
    int valueRank = 0; ///< finite numbers 0, infinities and NaN around them
    NaturalKey key;
};

/// SQL of the value that rows are compared by, and of its class.
std::string valueColumns(TriageColumn column)
{
    switch (column) {
    case TriageColumn::Title:
        return "t.title, NULL";
    case TriageColumn::Exercised:
        return "t.exercised, NULL";
    case TriageColumn::Error:
        return "t.error_rank, NULL";
    case TriageColumn::Relative:
        return "t.relative, t.relative_class";
    case TriageColumn::Speedup:
        return "t.speedup, NULL";
    case TriageColumn::Elapsed:
        return "t.elapsed_seconds, NULL";
    case TriageColumn::Flags:
        return "t.bookmarked * 4 + t.waived * 2 + t.has_note, NULL";
    default:
        return "NULL, NULL";
    }
}

constexpr int kValue = 4;
constexpr int kClass = 5;

void readNumber(const Statement& row, Gathered& out)
{
    const tensor::ValueClass valueClass = tensor::valueClassFromName(row.textAt(kClass));
    if (!row.isNull(kValue)) {
        out.number = row.realAt(kValue);
        return;
    }
    out.absent = valueClass == tensor::ValueClass::Absent;
    out.valueRank = valueClass == tensor::ValueClass::NegInf ? -1
        : valueClass == tensor::ValueClass::PosInf           ? 1
        : valueClass == tensor::ValueClass::NaN              ? 2
                                                             : 0;
}

/// The value that @p row is sorted by, without its ids.
Gathered readValue(const Statement& row, TriageColumn column)
{
    Gathered out;
    if (column == TriageColumn::Title) {
        out.text = row.textAt(kValue);
    } else if (column != TriageColumn::Id) {
        readNumber(row, out);
    }
    return out;
}

/// The list's order, ties in natural order of ids.
class Before {
public:
    explicit Before(const TriageSort& sort)
        : m_descending(sort.descending && groupColumn(sort.column).empty())
        , m_byId(sort.column == TriageColumn::Id)
    {
    }

    /// Whether @p a and @p b differ in value, and @p b comes first.
    bool isBehind(const Gathered& a, const Gathered& b) const
    {
        if (a.absent != b.absent)
            return a.absent;
        const auto value = [](const Gathered& row) { return std::tie(row.valueRank, row.number, row.text); };
        return m_descending ? value(a) < value(b) : value(b) < value(a);
    }

    bool operator()(const Gathered& a, const Gathered& b) const
    {
        if (isBehind(b, a))
            return true;
        if (isBehind(a, b))
            return false;
        if (m_byId && m_descending) {
            const auto id = [](const NaturalKey& key) { return std::tie(key.isText, key.number, key.externalId); };
            return id(a.key) != id(b.key) ? id(b.key) < id(a.key) : a.key.kernelId < b.key.kernelId;
        }
        return a.key < b.key;
    }

private:
    bool m_descending;
    bool m_byId;
};

/// The first rows of a list, from rows in any order; holds little more than a page.
class FirstRows {
public:
    FirstRows(const TriageSort& sort, std::int64_t limit)
        : m_before(sort)
        , m_limit(static_cast<std::size_t>(std::min<std::int64_t>(limit, std::numeric_limits<std::int32_t>::max())))
    {
    }

    /// Whether a row of this value, whatever its id, is certainly not among the first.
    bool isTooLate(const Gathered& value) const { return m_bounded && m_before.isBehind(value, m_rows[m_limit - 1]); }

    void add(Gathered row)
    {
        m_rows.push_back(std::move(row));
        if (m_rows.size() < 2 * m_limit + kSlack)
            return;
        std::ranges::nth_element(m_rows, last(), m_before);
        m_rows.resize(m_limit);
        m_bounded = true;
    }

    std::vector<std::int64_t> sortedIds()
    {
        std::ranges::sort(m_rows, m_before);
        m_rows.resize(std::min(m_rows.size(), m_limit));
        std::vector<std::int64_t> ids;
        ids.reserve(m_rows.size());
        for (const Gathered& row : m_rows)
            ids.push_back(row.key.kernelId);
        return ids;
    }

private:
    static constexpr std::size_t kSlack = 1024; ///< so that a page of one row is not cut down at every other row
    std::vector<Gathered>::iterator last() { return m_rows.begin() + static_cast<std::ptrdiff_t>(m_limit - 1); }

    Before m_before;
    std::size_t m_limit;          ///< at least 1
    std::vector<Gathered> m_rows; ///< once bounded, the row at m_limit - 1 is the last of the first m_limit found by then
    bool m_bounded = false;
};

} // namespace

std::vector<std::int64_t> gatherAndSort(const ListQuery& query, const GroupRanks& ranks, Lead lead)
{
    return *gatherAndSort(query, ranks, lead, std::numeric_limits<std::int64_t>::max());
}

std::optional<std::vector<std::int64_t>> gatherAndSort(const ListQuery& query, const GroupRanks& ranks, Lead lead,
                                                       std::int64_t atMost)
{
    // Combinations are tested here unless they lead, because SQLite would take longer for each row.
    FilterParts parts = query.parts;
    if (lead != Lead::Codes)
        parts.groups = {};
    const bool ranked = !groupColumn(query.sort.column).empty();
    const CodeTest passes(query.database, lead == Lead::Codes || ranked ? FilterParts() : query.parts);
    const SqlCondition where = rowCondition(parts, lead);
    Statement statement(query.database,
                        "SELECT t.kernel_id, t.external_number, t.external_id, t.facet_code, " + valueColumns(query.sort.column)
                            + " FROM " + rowSource(parts, lead) + " WHERE " + where.sql);
    bindValues(statement, where.values);
    FirstRows first(query.sort, query.limit);
    while (statement.step()) {
        if (atMost-- == 0)
            return std::nullopt;
        const std::int64_t code = statement.integerAt(3);
        Gathered row;
        if (ranked) {
            row.valueRank = ranks[code];
            if (row.valueRank == GroupRanks::kNone)
                continue;
        } else if (passes(code)) {
            row = readValue(statement, query.sort.column);
        } else {
            continue;
        }
        if (first.isTooLate(row))
            continue;
        row.key = {statement.isNull(1), statement.integerAt(1), std::string(statement.textAt(2)), statement.integerAt(0)};
        first.add(std::move(row));
    }
    return first.sortedIds();
}

} // namespace assay::store

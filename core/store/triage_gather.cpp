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

Gathered read(const Statement& row, TriageColumn column, const GroupRanks& ranks)
{
    Gathered out;
    out.key = {row.isNull(1), row.integerAt(1), std::string(row.textAt(2)), row.integerAt(0)};
    if (!groupColumn(column).empty()) {
        const auto rank = ranks.find(row.integerAt(3));
        out.valueRank = rank == ranks.end() ? std::numeric_limits<int>::max() : rank->second;
    } else if (column == TriageColumn::Title) {
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

    bool operator()(const Gathered& a, const Gathered& b) const
    {
        if (m_byId && m_descending) {
            const auto id = [](const NaturalKey& key) { return std::tie(key.isText, key.number, key.externalId); };
            return id(a.key) != id(b.key) ? id(b.key) < id(a.key) : a.key.kernelId < b.key.kernelId;
        }
        if (a.absent != b.absent)
            return b.absent;
        const auto value = [](const Gathered& row) { return std::tie(row.valueRank, row.number, row.text); };
        if (value(a) != value(b))
            return m_descending ? value(b) < value(a) : value(a) < value(b);
        return a.key < b.key;
    }

private:
    bool m_descending;
    bool m_byId;
};

} // namespace

std::vector<std::int64_t> gatherAndSort(const ListQuery& query, const GroupRanks& ranks, Lead lead, std::string_view extra)
{
    SqlCondition where = rowCondition(query.parts, lead);
    if (!extra.empty())
        where.andAlso({std::string(extra), {}});
    Statement statement(query.database,
                        "SELECT t.kernel_id, t.external_number, t.external_id, t.facet_code, " + valueColumns(query.sort.column)
                            + " FROM " + rowSource(lead) + " WHERE " + where.sql);
    bindValues(statement, where.values);
    std::vector<Gathered> rows;
    while (statement.step())
        rows.push_back(read(statement, query.sort.column, ranks));
    const auto kept = static_cast<std::size_t>(std::min<std::int64_t>(query.limit, static_cast<std::int64_t>(rows.size())));
    std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(kept), Before(query.sort));
    std::vector<std::int64_t> ids;
    ids.reserve(kept);
    for (std::size_t i = 0; i < kept; ++i)
        ids.push_back(rows[i].key.kernelId);
    return ids;
}

} // namespace assay::store

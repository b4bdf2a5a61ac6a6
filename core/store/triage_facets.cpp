// SPDX-License-Identifier: Apache-2.0
#include "core/store/filter_keys.h"
#include "core/store/guarded.h"
#include "core/store/triage.h"
#include "core/store/triage_sql.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace assay::store {

namespace {

constexpr std::array<std::string_view, 8> kFacets
    = {"family", "language", "outcome", "status", "claim", "baseline", "reason", "gate"};
constexpr std::size_t kGateFacet = 7;

using Counts = std::unordered_map<std::string, std::int64_t>;

/// Counts of every facet over the rows that match one condition.
struct Tally {
    std::array<Counts, kGateFacet> values;
    std::array<std::int64_t, contract::kGateCount> failing{};
};

/// Matching rows by combination, where the filter asks for more than combinations know. One pass serves every facet: none of
/// their keys is in the row half of a filter.
using RowCounts = std::unordered_map<std::int64_t, std::int64_t>;

std::optional<RowCounts> countRows(SQLite::Database& database, const FilterParts& parts)
{
    if (!parts.asksRows())
        return std::nullopt;
    FilterParts rowHalf = withFewLookUps(database, parts);
    rowHalf.groups = {};
    const Lead lead = leadFor(rowHalf);
    const SqlCondition where = rowCondition(rowHalf, lead);
    Statement query(database, "SELECT t.facet_code FROM " + rowSource(rowHalf, lead) + " WHERE " + where.sql);
    bindValues(query, where.values);
    RowCounts counts;
    while (query.step())
        ++counts[query.integerAt(0)];
    return counts;
}

Tally tally(SQLite::Database& database, const FilterParts& parts, const std::optional<RowCounts>& rows)
{
    const SqlCondition where = groupCondition(parts);
    Statement query(database,
                    "SELECT g.family, g.language, g.outcome, g.status, g.claim, g.baseline, g.lead_reason, g.fail_mask, "
                    "g.kernels, g.facet_code"
                    " FROM triage_facet g WHERE "
                        + where.sql);
    bindValues(query, where.values);
    Tally out;
    while (query.step()) {
        std::int64_t count = query.integerAt(8);
        if (rows) {
            const auto found = rows->find(query.integerAt(9));
            count = found == rows->end() ? 0 : found->second;
        }
        if (count == 0)
            continue;
        for (std::size_t i = 0; i < kGateFacet; ++i)
            out.values[i][std::string(query.textAt(static_cast<int>(i)))] += count;
        const std::int64_t mask = query.integerAt(7);
        for (int gate = 0; gate < contract::kGateCount; ++gate)
            out.failing[static_cast<std::size_t>(gate)] += (mask >> gate & 1) * count;
    }
    return out;
}

bool hasTerms(const TriageFilter& filter, std::string_view key)
{
    return std::ranges::any_of(filter.terms, [&](const FilterTerm& term) { return term.key == key; });
}

/// A value that the filter asks for stays listed at count 0: it must be possible to take it out again.
void keepAskedValues(Counts& counts, const TriageFilter& filter, std::string_view key)
{
    for (const FilterTerm& term : filter.terms) {
        if (term.key != key)
            continue;
        for (const std::string& value : term.values) {
            if (key != "outcome")
                counts.try_emplace(value, 0);
            else
                for (const std::string_view outcome : outcomesOf(value))
                    counts.try_emplace(std::string(outcome), 0);
        }
    }
}

Facet facetOf(std::string_view key, const Tally& counted, std::size_t index, const TriageFilter& filter)
{
    Facet facet;
    facet.field = key;
    if (index == kGateFacet) {
        for (const contract::Gate gate : contract::kAllGates)
            facet.values.push_back(
                {std::string(contract::id(gate)), counted.failing[static_cast<std::size_t>(contract::indexOf(gate))]});
        return facet;
    }
    Counts counts = counted.values[index];
    keepAskedValues(counts, filter, key);
    for (const auto& [value, count] : counts)
        facet.values.push_back({value, count});
    std::ranges::sort(facet.values, [](const FacetValue& a, const FacetValue& b) {
        return a.count != b.count ? a.count > b.count : a.value < b.value;
    });
    return facet;
}

} // namespace

std::vector<Facet> triageFacets(Database& database, std::int64_t scopeId, const TriageFilter& filter)
{
    return guarded(database, [&] {
        const FilterParts parts = filterParts(database.sqlite(), scopeId, filter);
        const std::optional<RowCounts> rows = countRows(database.sqlite(), parts);
        const Tally all = tally(database.sqlite(), parts, rows);
        std::vector<Facet> facets;
        for (std::size_t i = 0; i < kFacets.size(); ++i) {
            const std::string_view key = kFacets[i];
            if (hasTerms(filter, key))
                facets.push_back(facetOf(key, tally(database.sqlite(), groupParts(scopeId, filter, key), rows), i, filter));
            else
                facets.push_back(facetOf(key, all, i, filter));
        }
        return facets;
    });
}

} // namespace assay::store

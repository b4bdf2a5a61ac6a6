// SPDX-License-Identifier: Apache-2.0
#include "core/report/tally.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace assay::report {

namespace {

constexpr std::size_t kListedFailSets = 20;
constexpr double kSecondsPerHour = 3600;

void count(GateCounts& counts, contract::StripCell cell)
{
    using contract::StripCell;
    switch (cell) {
    case StripCell::Pass:
    case StripCell::PassWithNote:
        ++counts.pass;
        return;
    case StripCell::FailHard:
    case StripCell::FailSoft:
        ++counts.fail;
        return;
    case StripCell::Inapplicable:
        ++counts.inapplicable;
        return;
    case StripCell::Unsupported:
        ++counts.unsupported;
        return;
    case StripCell::NotExercised:
        ++counts.notExercised;
        return;
    case StripCell::Unknown:
        ++counts.unknown;
        return;
    case StripCell::Crash:
        ++counts.crash;
        return;
    case StripCell::Timeout:
        ++counts.timeout;
        return;
    case StripCell::Error:
        ++counts.error;
        return;
    case StripCell::Absent:
    case StripCell::Running:
        ++counts.absent;
        return;
    }
}

/// Order statistic at @p share by the inverted empirical distribution: the smallest value with at least that share at or below
/// it.
double orderStatistic(std::vector<double>& values, double share)
{
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    const std::size_t at = std::clamp<std::size_t>(rank, 1, values.size()) - 1;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
    return values[at];
}

Rate rateOf(std::int64_t count, std::int64_t of)
{
    return {count, of, sampling::wilson(count, of)};
}

std::vector<FailSet> commonFailSets(const std::unordered_map<int, std::int64_t>& counts, bool linkable)
{
    std::vector<FailSet> sets;
    for (const auto& [mask, rows] : counts) {
        const std::string filter = linkable ? "is:audited fails:" + gateList(mask, ",") : "";
        sets.push_back({mask, gateList(mask, ", "), filter, rows});
    }
    std::sort(sets.begin(), sets.end(),
              [](const FailSet& a, const FailSet& b) { return a.count != b.count ? a.count > b.count : a.mask < b.mask; });
    if (sets.size() > kListedFailSets)
        sets.resize(kListedFailSets);
    return sets;
}

} // namespace

std::string gateList(int failMask, std::string_view separator)
{
    std::vector<std::string_view> ids;
    for (const contract::Gate gate : contract::kAllGates) {
        if ((failMask >> contract::indexOf(gate)) & 1)
            ids.push_back(contract::id(gate));
    }
    return fmt::format("{}", fmt::join(ids, separator));
}

void Tally::add(const CountedRow& row)
{
    ++m_rows;
    m_accepted += row.accepted;
    m_executable += row.accepted && row.executable;
    if (row.elapsedSeconds) {
        m_hasElapsed = true;
        m_elapsedTotal += *row.elapsedSeconds;
    }
    if (!row.audited)
        return;
    ++m_audited;
    m_toleranceFree += row.toleranceFree;
    m_anyViolation += row.anyViolation;
    m_forgiven += row.forgiven;
    if (row.elapsedSeconds)
        m_elapsed.push_back(*row.elapsedSeconds);
    if (row.failMask != 0)
        ++m_failSets[row.failMask];

    auto family = m_families.find(row.family);
    if (family == m_families.end()) {
        family = m_families.emplace(std::string(row.family), FamilyCounts{}).first;
        family->second.family = family->first;
    }
    ++family->second.audited;
    family->second.toleranceFree += row.toleranceFree;
    family->second.any += row.anyViolation;
    addGates(row, family->second);
}

void Tally::addGates(const CountedRow& row, FamilyCounts& family)
{
    for (const contract::Gate gate : contract::kAllGates) {
        const auto at = static_cast<std::size_t>(gate);
        count(m_perGate[at], row.strip.cell(gate));
        family.failures[at] += (row.failMask >> at) & 1;
    }
}

void Tally::finish(AuditReport& report, const std::string& ruleName, const std::vector<std::string>& excludedStatuses)
{
    report.rows = m_rows;
    report.accepted = m_accepted;
    report.audited = m_audited;
    report.toleranceFree = rateOf(m_toleranceFree, m_audited);
    report.anyViolation = rateOf(m_anyViolation, m_audited);
    report.forgiven = m_forgiven;
    report.perGate = m_perGate;

    const bool stored = ruleName.empty();
    const auto link = [&](std::string_view flag, std::string_view ruleKey) {
        return stored ? std::string(flag) : fmt::format("rule:{}/{}", ruleName, ruleKey);
    };
    const std::string executable
        = excludedStatuses.empty() ? "is:accepted" : fmt::format("is:accepted -status:{}", fmt::join(excludedStatuses, ","));
    report.funnel = {
        {"rows", "rows", m_rows, ""},
        {"accepted", "accepted by the corpus", m_accepted, stored ? "is:accepted" : ""},
        {"executable", "with a reference that runs", m_executable, stored ? executable : ""},
        {"audited", "audited (no toolchain artifact)", m_audited, link("is:audited", "audited")},
        {"any_violation", "with any violation", m_anyViolation, link("is:audited is:violation", "violation")},
        {"tolerance_free", "failing without any tolerance", m_toleranceFree,
         link("is:audited is:tolerance_free", "tolerance_free")},
    };

    for (auto& [name, family] : m_families)
        report.perFamily.push_back(family);
    std::stable_sort(report.perFamily.begin(), report.perFamily.end(),
                     [](const FamilyCounts& a, const FamilyCounts& b) { return a.audited > b.audited; });
    report.failSets = commonFailSets(m_failSets, stored);

    if (m_hasElapsed)
        report.elapsedTotalHours = m_elapsedTotal / kSecondsPerHour;
    if (!m_elapsed.empty()) {
        report.elapsedMedianSeconds = orderStatistic(m_elapsed, 0.5);
        report.elapsedP95Seconds = orderStatistic(m_elapsed, 0.95);
    }
}

} // namespace assay::report

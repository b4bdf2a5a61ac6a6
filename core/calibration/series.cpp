// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::calibration {

namespace {

constexpr double kLargest = std::numeric_limits<double>::infinity();

std::int64_t clustersIn(std::span<const Series::Entry> entries)
{
    std::vector<std::uint32_t> clusters;
    clusters.reserve(entries.size());
    for (const Series::Entry& entry : entries)
        clusters.push_back(entry.cluster);
    std::sort(clusters.begin(), clusters.end());
    return std::unique(clusters.begin(), clusters.end()) - clusters.begin();
}

auto firstAbove(std::span<const Series::Entry> entries, double threshold)
{
    return std::upper_bound(entries.begin(), entries.end(), threshold,
                            [](double value, const Series::Entry& entry) { return value < entry.value; });
}

} // namespace

std::int64_t rankOf(Share share, std::int64_t count)
{
    const std::int64_t rank = (share.part * count + share.whole - 1) / share.whole;
    return std::clamp<std::int64_t>(rank, 1, count);
}

void Series::add(const tensor::Measured& value, std::uint32_t cluster)
{
    double rank = kLargest;
    switch (value.valueClass) {
    case tensor::ValueClass::Absent:
        ++m_counts.absent;
        return;
    case tensor::ValueClass::NaN:
        ++m_counts.nan;
        break;
    case tensor::ValueClass::PosInf:
        ++m_counts.posInf;
        break;
    case tensor::ValueClass::NegInf:
        ++m_counts.impossible;
        break;
    case tensor::ValueClass::Finite:
        if (value.value < 0) {
            ++m_counts.impossible;
            break;
        }
        ++(value.value > 0 ? m_counts.positive : m_counts.zeros);
        rank = value.value + 0.0; // -0 becomes 0
        break;
    }
    m_entries.push_back({rank, cluster});
}

void Series::add(const Series& other)
{
    m_entries.insert(m_entries.end(), other.m_entries.begin(), other.m_entries.end());
    m_counts.zeros += other.m_counts.zeros;
    m_counts.positive += other.m_counts.positive;
    m_counts.nan += other.m_counts.nan;
    m_counts.posInf += other.m_counts.posInf;
    m_counts.impossible += other.m_counts.impossible;
    m_counts.absent += other.m_counts.absent;
}

void Series::finish()
{
    std::sort(m_entries.begin(), m_entries.end());
    std::vector<std::uint32_t> members(m_entries.size());
    std::transform(m_entries.begin(), m_entries.end(), members.begin(), [](const Entry& entry) { return entry.cluster; });
    std::sort(members.begin(), members.end());
    m_clusters.clear();
    for (const std::uint32_t cluster : members) {
        if (m_clusters.empty() || m_clusters.back().cluster != cluster)
            m_clusters.push_back({cluster, 0});
        ++m_clusters.back().samples;
    }
}

std::vector<double> Series::logarithms() const
{
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(m_counts.positive));
    for (const Entry& entry : m_entries) {
        if (entry.value > 0 && std::isfinite(entry.value))
            result.push_back(std::log10(entry.value));
    }
    return result;
}

double Series::quantile(Share share) const
{
    if (isEmpty())
        return std::numeric_limits<double>::quiet_NaN();
    return m_entries[static_cast<std::size_t>(rankOf(share, size()) - 1)].value;
}

double Series::quantile(Share share, std::span<const std::uint32_t> weights) const
{
    std::int64_t total = 0;
    for (const ClusterSize& cluster : m_clusters)
        total += std::int64_t{weights[cluster.cluster]} * cluster.samples;
    if (total == 0)
        return std::numeric_limits<double>::quiet_NaN();
    // From the nearer end: the quantiles that thresholds need lie far out, a few steps away.
    const std::int64_t rank = rankOf(share, total);
    if (2 * rank > total) {
        std::int64_t atOrAbove = 0;
        for (std::size_t i = m_entries.size(); i-- > 0;) {
            atOrAbove += weights[m_entries[i].cluster];
            if (total - atOrAbove < rank)
                return m_entries[i].value;
        }
    }
    std::int64_t atOrBelow = 0;
    for (const Entry& entry : m_entries) {
        atOrBelow += weights[entry.cluster];
        if (atOrBelow >= rank)
            return entry.value;
    }
    return kLargest; // not reached: the weights add up to total
}

std::int64_t Series::above(double threshold) const
{
    const std::span<const Entry> entries(m_entries);
    return entries.end() - firstAbove(entries, threshold);
}

std::int64_t Series::clustersAbove(double threshold) const
{
    const std::span<const Entry> entries(m_entries);
    return clustersIn(entries.subspan(static_cast<std::size_t>(size() - above(threshold))));
}

std::int64_t Series::clustersFrom(double value) const
{
    const auto first = std::lower_bound(m_entries.begin(), m_entries.end(), value,
                                        [](const Entry& entry, double sought) { return entry.value < sought; });
    return clustersIn({first, m_entries.end()});
}

std::int64_t Series::clustersUpTo(double value) const
{
    const std::span<const Entry> entries(m_entries);
    return clustersIn(entries.first(static_cast<std::size_t>(size() - above(value))));
}

} // namespace assay::calibration

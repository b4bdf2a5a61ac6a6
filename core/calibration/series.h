// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/sample.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::calibration {

/// A share as a fraction of whole numbers, so that the rank of an order statistic never hangs on the rounding of 0.999 n.
struct Share {
    std::int64_t part = 1;
    std::int64_t whole = 2;
    double value() const { return static_cast<double>(part) / static_cast<double>(whole); }
    bool operator==(const Share&) const = default;
};

/// The rank (from 1) of an order statistic among @p count values: the least k with k / count >= share.
std::int64_t rankOf(Share share, std::int64_t count);

/// How many samples fell into each class.
struct ValueCounts {
    std::int64_t zeros = 0;    ///< the gutter of a logarithmic axis
    std::int64_t positive = 0; ///< finite and above zero: the only ones with a place on that axis
    std::int64_t nan = 0;
    std::int64_t posInf = 0;
    std::int64_t impossible = 0; ///< negative or -Inf, which no error over a bound can be
    std::int64_t absent = 0;     ///< nothing was measured; in no rank

    std::int64_t ranked() const { return zeros + positive + nonFinite(); }
    std::int64_t nonFinite() const { return nan + posInf + impossible; } ///< ranked as the largest
    bool operator==(const ValueCounts&) const = default;
};

/// Samples of one group in ascending order, each with the number of its kernel. Zeros come first as 0; NaN, +Inf and impossible
/// values come last as +Inf.
class Series {
public:
    struct Entry {
        double value = 0; ///< 0, finite positive or +Inf
        std::uint32_t cluster = 0;
        auto operator<=>(const Entry&) const = default;
    };
    /// Samples a cluster has here.
    struct ClusterSize {
        std::uint32_t cluster = 0;
        std::uint32_t samples = 0;
    };

    void add(const tensor::Measured& value, std::uint32_t cluster);
    /// All samples of another series; call finish() afterwards.
    void add(const Series& other);
    /// Sorts; call it once after the last add().
    void finish();

    std::span<const Entry> entries() const { return m_entries; }
    std::span<const ClusterSize> clusters() const { return m_clusters; } ///< ascending by cluster
    const ValueCounts& counts() const { return m_counts; }
    bool isEmpty() const { return m_entries.empty(); }
    std::int64_t size() const { return static_cast<std::int64_t>(m_entries.size()); }

    /// log10 of the finite positive values, ascending.
    std::vector<double> logarithms() const;

    /// Order statistic of the inverted distribution function: the smallest value that at least this share does not exceed, so
    /// always a value that was measured. Zeros are the smallest values and non-finite ones the largest: 0 and +Inf are answers.
    /// NaN where the series is empty.
    double quantile(Share share) const;

    /// quantile() where each sample counts as often as @p weights says of its cluster; NaN where all weights are 0.
    double quantile(Share share, std::span<const std::uint32_t> weights) const;

    /// Samples above @p threshold; a gate trips on those.
    std::int64_t above(double threshold) const;
    /// Clusters with a sample above @p threshold.
    std::int64_t clustersAbove(double threshold) const;
    /// Clusters with a sample at or above @p value.
    std::int64_t clustersFrom(double value) const;
    /// Clusters with a sample at or below @p value.
    std::int64_t clustersUpTo(double value) const;

private:
    std::vector<Entry> m_entries;
    std::vector<ClusterSize> m_clusters;
    ValueCounts m_counts;
};

} // namespace assay::calibration

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/pair_rows.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace assay::diff {

/// Counts numbers in bins an eighth of a binade wide, of either sign, so that it can be drawn on a linear and on a logarithmic
/// axis. Zeros and what is not finite are counted apart.
class ValueHistogram {
public:
    ValueHistogram();

    void add(const double* values, std::int64_t count);
    void merge(const ValueHistogram& other);

    std::int64_t zeros() const { return m_zeros; }
    std::int64_t nans() const { return m_nans; }
    std::int64_t positiveInfinities() const { return m_positiveInfinities; }
    std::int64_t negativeInfinities() const { return m_negativeInfinities; }
    std::int64_t finite() const; ///< zeros included

    /// Least and greatest magnitude seen, as edges of bins; 0 where there is none.
    double leastMagnitude() const;
    double greatestMagnitude() const;

    struct Bin {
        double low = 0; ///< signed: low < high
        double high = 0;
        std::int64_t count = 0;
    };
    /// Bins that are not empty, rising; zeros are not among them.
    std::vector<Bin> bins() const;

private:
    static constexpr int kMantissaBits = 3;
    static constexpr std::size_t kBins = std::size_t{1} << (11 + kMantissaBits);
    std::vector<std::int64_t> m_positive, m_negative; ///< by the upper bits of the magnitude
    std::int64_t m_zeros = 0;
    std::int64_t m_nans = 0;
    std::int64_t m_positiveInfinities = 0;
    std::int64_t m_negativeInfinities = 0;
};

/// The errors and the values of a plane pair.
struct PlaneHistograms {
    ValueHistogram errors; ///< NaN stands for pairs that are not finite
    ValueHistogram reference;
    ValueHistogram candidate;
};

/// @throws Cancelled
PlaneHistograms histogramsOf(const Plane& reference, const Plane& candidate, Metric metric, const Bound& bound,
                             const std::stop_token& stop = {}, int threads = 0);

} // namespace assay::diff

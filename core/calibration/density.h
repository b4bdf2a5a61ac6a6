// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/series.h"

#include <optional>
#include <span>
#include <vector>

namespace assay::calibration {

/// Gaussian kernel density of the log10 values: for figures, not for inference.
struct Density {
    double bandwidth = 0;        ///< decades
    std::vector<double> at;      ///< log10
    std::vector<double> density; ///< per decade; the area is 1 over the finite positive values
};

/// Bandwidth by Silverman's rule of thumb, 0.9 min(sd, IQR / 1.34) n^(-1/5), sd alone where the IQR is 0; quartiles are order
/// statistics. Source: Silverman 1986, equation 3.31.
/// @param sorted  ascending
/// @return nothing for fewer than two different values: a spike has no bandwidth
std::optional<double> silvermanBandwidth(std::span<const double> sorted);

/// Density at @p points places from three bandwidths below the smallest value to three above the largest. Kernels are cut off
/// nine bandwidths from their value, where they are below 3e-18 of their height.
/// @return nothing where there is no bandwidth
std::optional<Density> densityOf(const Series& series, std::size_t points = 512);

/// Samples by bins of fixed edges, so that histograms of different series lie on each other.
struct DecadeHistogram {
    int binsPerDecade = 10;
    int first = 0; ///< bin i covers log10 from (first + i) / binsPerDecade on, its end left out
    std::vector<std::int64_t> counts;
    ValueCounts classes; ///< zeros and non-finite values are beside the axis
};

DecadeHistogram histogramOf(const Series& series, int binsPerDecade = 10);

} // namespace assay::calibration

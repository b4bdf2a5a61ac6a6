// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/series.h"

#include <vector>

namespace assay::calibration {

/// From here on this share of the samples is at or below.
struct EcdfStep {
    double log10Value = 0;
    double share = 0;
    bool operator==(const EcdfStep&) const = default;
};

/// An empirical distribution function on a logarithmic axis.
struct Ecdf {
    double gutter = 0;           ///< share of zeros, left of the axis: where the curve begins
    double beyond = 0;           ///< share of non-finite values, right of the axis: what the curve lacks to 1
    std::vector<EcdfStep> steps; ///< ascending
};

/// Every step.
Ecdf ecdfOf(const Series& series);

/// Steps for a figure that shows log10 from @p low to @p high on @p pixels columns: at most one step a column, which comes late
/// by less than one column and never early. low < high, pixels > 0. What lies left of the figure is one step at @p low, what lies
/// right is left out.
Ecdf thinnedEcdf(const Series& series, double low, double high, int pixels);

} // namespace assay::calibration

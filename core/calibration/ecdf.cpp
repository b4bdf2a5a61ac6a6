// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/ecdf.h"

#include <cmath>
#include <limits>

namespace assay::calibration {

Ecdf ecdfOf(const Series& series)
{
    Ecdf result;
    if (series.isEmpty())
        return result;
    const auto total = static_cast<double>(series.size());
    std::int64_t before = series.counts().zeros;
    result.gutter = static_cast<double>(before) / total;
    result.beyond = static_cast<double>(series.counts().nonFinite()) / total;
    for (const double value : series.logarithms()) {
        ++before;
        if (result.steps.empty() || result.steps.back().log10Value != value)
            result.steps.push_back({value, 0});
        result.steps.back().share = static_cast<double>(before) / total;
    }
    return result;
}

Ecdf thinnedEcdf(const Series& series, double low, double high, int pixels)
{
    Ecdf full = ecdfOf(series);
    Ecdf result{full.gutter, full.beyond, {}};
    double column = -std::numeric_limits<double>::infinity();
    for (EcdfStep step : full.steps) {
        if (step.log10Value > high)
            break;
        if (step.log10Value < low)
            step.log10Value = low;
        const double its = std::floor((step.log10Value - low) / (high - low) * pixels);
        if (its == column)
            result.steps.back() = step;
        else
            result.steps.push_back(step);
        column = its;
    }
    return result;
}

} // namespace assay::calibration

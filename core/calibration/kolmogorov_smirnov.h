// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/series.h"

#include <optional>

namespace assay::calibration {

/// Two-sided two-sample Kolmogorov-Smirnov test.
struct KolmogorovSmirnov {
    double statistic = 0; ///< largest distance of the two distribution functions
    double p = 1;
    bool isExact = true; ///< else the limit distribution, which is too careful for small samples
    double atValue = 0;  ///< where the distance is largest: 0, a positive value or +Inf
};

/// Whether the noise floor of another device differs. Samples count as independent: kernels with many samples make p smaller than
/// it should be, so a small p asks for a look and is no proof. Zeros and non-finite values take part by rank; with ties the exact
/// p is an upper bound.
///
/// Exact while the product of the sizes is at most @p mostExactWork (path counting, Hodges 1958), else Kolmogorov's limit.
/// @return nothing where a side is empty
std::optional<KolmogorovSmirnov> kolmogorovSmirnov(const Series& first, const Series& second,
                                                   std::int64_t mostExactWork = 4'000'000);

/// Limit distribution: P(D sqrt(nm / (n + m)) > @p x).
double kolmogorovTail(double x);

} // namespace assay::calibration

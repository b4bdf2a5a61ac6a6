// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/wilson.h"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>

namespace assay::sampling {

Interval wilson(std::int64_t successes, std::int64_t trials, double confidence)
{
    if (trials <= 0)
        return {};
    const double n = static_cast<double>(trials);
    const double p = static_cast<double>(successes) / n;
    const double z = boost::math::quantile(boost::math::normal(), 0.5 + confidence / 2);
    const double z2 = z * z;
    const double centre = p + z2 / (2 * n);
    const double spread = z * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    const double scale = 1 + z2 / n;
    return {std::max(0.0, (centre - spread) / scale), std::min(1.0, (centre + spread) / scale)};
}

} // namespace assay::sampling

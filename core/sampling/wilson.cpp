// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/wilson.h"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>

namespace assay::sampling {

double normalMultiple(double confidence)
{
    return boost::math::quantile(boost::math::normal(), 0.5 + confidence / 2);
}

Interval wilsonShare(double share, double trials, double confidence)
{
    if (!(trials > 0))
        return {};
    const double z = normalMultiple(confidence);
    const double z2 = z * z;
    const double centre = share + z2 / (2 * trials);
    const double spread = z * std::sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials));
    const double scale = 1 + z2 / trials;
    return {std::max(0.0, (centre - spread) / scale), std::min(1.0, (centre + spread) / scale)};
}

Interval wilson(std::int64_t successes, std::int64_t trials, double confidence)
{
    if (trials <= 0)
        return {};
    const double n = static_cast<double>(trials);
    return wilsonShare(static_cast<double>(successes) / n, n, confidence);
}

} // namespace assay::sampling

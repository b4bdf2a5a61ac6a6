// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/clopper_pearson.h"

#include <boost/math/special_functions/beta.hpp>

namespace assay::sampling {

double lowerBound(std::int64_t successes, std::int64_t trials, double confidence)
{
    if (trials <= 0 || successes <= 0)
        return 0;
    const double k = static_cast<double>(successes);
    return boost::math::ibeta_inv(k, static_cast<double>(trials) - k + 1, 1 - confidence);
}

double upperBound(std::int64_t successes, std::int64_t trials, double confidence)
{
    return 1 - lowerBound(trials - successes, trials, confidence);
}

Interval clopperPearson(std::int64_t successes, std::int64_t trials, double confidence)
{
    const double each = 0.5 + confidence / 2;
    return {lowerBound(successes, trials, each), upperBound(successes, trials, each)};
}

} // namespace assay::sampling

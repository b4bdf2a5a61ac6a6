// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace assay::sampling {

struct Interval {
    double low = 0;
    double high = 1;
};

/// Wilson score interval of a binomial proportion.
///
/// @param successes   0 <= successes <= trials
/// @param trials      0 gives [0, 1]: nothing is known
/// @param confidence  two-sided, in (0, 1)
/// Source: Wilson 1927; (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n).
Interval wilson(std::int64_t successes, std::int64_t trials, double confidence = 0.95);

/// The same for a share that comes from weights: @p trials is the effective number of trials and need not be whole.
Interval wilsonShare(double share, double trials, double confidence = 0.95);

/// z with @p confidence of the standard normal distribution between -z and z: 1.96 at 95 %.
double normalMultiple(double confidence);

} // namespace assay::sampling

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sampling/wilson.h"

#include <cstdint>

namespace assay::sampling {

/// One-sided exact bound of a binomial proportion: with @p confidence the proportion is at least this. 18 of 18 give 0.847.
///
/// @param successes   0 <= successes <= trials; 0 gives 0
/// @param trials      0 gives 0: nothing is known
/// @param confidence  in (0, 1)
/// Source: Clopper and Pearson 1934; the (1 - confidence) quantile of Beta(k, n - k + 1).
double lowerBound(std::int64_t successes, std::int64_t trials, double confidence = 0.95);

/// The same from above: with @p confidence the proportion is at most this. 0 of n give 1 - (1 - confidence)^(1/n), about 3/n at
/// 95 %.
double upperBound(std::int64_t successes, std::int64_t trials, double confidence = 0.95);

/// Both bounds at once, half of what @p confidence leaves in each tail: 31 of 31 give 0.888 to 1, 7 of 7 0.590 to 1.
///
/// @param confidence  two-sided, in (0, 1)
Interval clopperPearson(std::int64_t successes, std::int64_t trials, double confidence = 0.95);

} // namespace assay::sampling

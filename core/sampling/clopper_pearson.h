// SPDX-License-Identifier: Apache-2.0
#pragma once

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

} // namespace assay::sampling

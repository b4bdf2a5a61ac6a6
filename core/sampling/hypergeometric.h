// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace assay::sampling {

/// How many of a finite population have a property: both ends are counts of items and belong to the interval.
struct CountInterval {
    std::int64_t low = 0;
    std::int64_t high = 0;
};

/// Exact interval for the number of successes in a population that was sampled without replacement. Narrower than
/// Clopper-Pearson where the sample is a good part of the population, and a single number for a census.
///
/// @param successes   0 <= successes <= trials
/// @param trials      0 <= trials <= population; 0 gives [0, population]
/// @param confidence  two-sided, in (0, 1)
/// Source: Konijn 1973, section VI.3; the counts under which neither tail is smaller than half of what confidence leaves.
CountInterval hypergeometricInterval(std::int64_t successes, std::int64_t trials, std::int64_t population,
                                     double confidence = 0.95);

} // namespace assay::sampling

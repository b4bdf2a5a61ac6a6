// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/hypergeometric.h"

#include <boost/math/distributions/hypergeometric.hpp>

#include <algorithm>

namespace assay::sampling {

namespace {

struct Sample {
    std::int64_t successes;
    std::int64_t trials;
    std::int64_t population;
};

/// Chance of at least sample.successes where @p total of the population are successes.
double chanceOfAtLeast(const Sample& sample, std::int64_t total)
{
    const std::int64_t fewest = std::max<std::int64_t>(0, sample.trials + total - sample.population);
    const std::int64_t most = std::min(sample.trials, total);
    if (sample.successes <= fewest)
        return 1;
    if (sample.successes > most)
        return 0;
    const boost::math::hypergeometric distribution(static_cast<unsigned>(total), static_cast<unsigned>(sample.trials),
                                                   static_cast<unsigned>(sample.population));
    return boost::math::cdf(boost::math::complement(distribution, static_cast<unsigned>(sample.successes - 1)));
}

/// The smallest total under which so many successes are no surprise. The chance grows with the total.
std::int64_t smallestTotal(const Sample& sample, double tail)
{
    std::int64_t low = sample.successes;
    std::int64_t high = sample.population - (sample.trials - sample.successes);
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (chanceOfAtLeast(sample, middle) > tail)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

} // namespace

CountInterval hypergeometricInterval(std::int64_t successes, std::int64_t trials, std::int64_t population, double confidence)
{
    const double tail = (1 - confidence) / 2;
    const Sample sample{successes, trials, population};
    const Sample mirrored{trials - successes, trials, population};
    return {smallestTotal(sample, tail), population - smallestTotal(mirrored, tail)};
}

} // namespace assay::sampling

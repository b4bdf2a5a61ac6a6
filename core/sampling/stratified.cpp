// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/stratified.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::sampling {

namespace {

double ratio(std::int64_t part, std::int64_t whole)
{
    return static_cast<double>(part) / static_cast<double>(whole);
}

/// A stratum whose domain answered all alike although items remain unseen.
bool isUniform(const StratumTally& stratum)
{
    return stratum.domain > 0 && stratum.labelled < stratum.population
        && (stratum.successes == 0 || stratum.successes == stratum.domain);
}

/// Successes as the spread sees them: never all or none, unless it was a census.
double spreadSuccesses(const StratumTally& stratum)
{
    const double domain = static_cast<double>(stratum.domain);
    const double successes = static_cast<double>(stratum.successes);
    return isUniform(stratum) ? domain * (successes + 0.5) / (domain + 1) : successes;
}

/// Variance of the stratum's mean of success - share * domain.
double residualVariance(const StratumTally& stratum, double share)
{
    const double n = static_cast<double>(stratum.labelled);
    const double domain = static_cast<double>(stratum.domain);
    const double successes = spreadSuccesses(stratum);
    const double squares = successes * (1 - share) * (1 - share) + (domain - successes) * share * share;
    const double sum = successes - share * domain;
    const double variance = std::max(0.0, squares - sum * sum / n) / std::max(1.0, n - 1);
    return (1 - ratio(stratum.labelled, stratum.population)) * variance / n;
}

Interval logitInterval(double share, double standardError, double confidence)
{
    const double centre = std::log(share / (1 - share));
    const double spread = normalMultiple(confidence) * standardError / (share * (1 - share));
    return {1 / (1 + std::exp(spread - centre)), 1 / (1 + std::exp(-spread - centre))};
}

struct Sums {
    double successes = 0;
    double domain = 0;
    double spreadSuccesses = 0;
};

} // namespace

std::optional<StratifiedEstimate> stratifiedEstimate(std::span<const StratumTally> strata, double confidence)
{
    StratifiedEstimate estimate;
    Sums sums;
    for (const StratumTally& stratum : strata) {
        estimate.frameItems += stratum.population;
        if (stratum.labelled == 0)
            continue;
        estimate.coveredItems += stratum.population;
        estimate.isUniform = estimate.isUniform || isUniform(stratum);
        const double items = static_cast<double>(stratum.population);
        sums.successes += items * ratio(stratum.successes, stratum.labelled);
        sums.domain += items * ratio(stratum.domain, stratum.labelled);
        sums.spreadSuccesses += items * spreadSuccesses(stratum) / static_cast<double>(stratum.labelled);
    }
    if (!(sums.domain > 0))
        return std::nullopt;
    estimate.share = sums.successes / sums.domain;
    estimate.successTotal = sums.successes;

    double variance = 0;
    for (const StratumTally& stratum : strata) {
        if (stratum.labelled == 0)
            continue;
        const double items = static_cast<double>(stratum.population);
        variance += items * items * residualVariance(stratum, estimate.share);
    }
    variance /= sums.domain * sums.domain;
    estimate.standardError = std::sqrt(variance);
    const bool isInside = estimate.share > 0 && estimate.share < 1;
    if (!(variance > 0)) {
        estimate.effectiveTrials = std::numeric_limits<double>::infinity();
        estimate.wilson = {estimate.share, estimate.share};
        return estimate;
    }
    const double spreadShare = isInside ? estimate.share : sums.spreadSuccesses / sums.domain;
    estimate.effectiveTrials = spreadShare * (1 - spreadShare) / variance;
    estimate.wilson = wilsonShare(estimate.share, estimate.effectiveTrials, confidence);
    if (isInside)
        estimate.logit = logitInterval(estimate.share, estimate.standardError, confidence);
    return estimate;
}

} // namespace assay::sampling

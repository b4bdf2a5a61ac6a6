// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/link.h"

#include <cmath>
#include <numbers>

namespace assay::calibration {

namespace {

/// log of the standard normal distribution function at @p x and density over it.
struct NormalTail {
    double logCdf = 0;
    double density = 0; ///< density / distribution function
};

NormalTail normalTail(double x)
{
    const double logDensity = -x * x / 2 - std::log(2 * std::numbers::pi) / 2;
    if (x > -35) {
        const double cdf = std::erfc(-x / std::numbers::sqrt2) / 2;
        const double above = std::erfc(x / std::numbers::sqrt2) / 2;
        return {x > 0 ? std::log1p(-above) : std::log(cdf), std::exp(logDensity) / cdf};
    }
    // erfc nears the smallest double out here; the asymptotic series is good to 4e-13.
    const double r = 1 / (x * x);
    const double series = 1 + r * (-1 + r * (3 + r * (-15 + r * 105)));
    return {logDensity - std::log(-x) + std::log(series), -x / series};
}

LinkValue logistic(double predictor)
{
    const double p = 1 / (1 + std::exp(-predictor));
    const double q = 1 / (1 + std::exp(predictor));
    const double softPlus = std::log1p(std::exp(-std::fabs(predictor)));
    return {(predictor < 0 ? predictor : 0) - softPlus, (predictor > 0 ? -predictor : 0) - softPlus, q, p, p * q, q - p};
}

LinkValue probit(double predictor)
{
    const NormalTail seen = normalTail(predictor);
    const NormalTail unseen = normalTail(-predictor);
    return {seen.logCdf,
            unseen.logCdf,
            seen.density,
            unseen.density,
            seen.density * unseen.density,
            -2 * predictor - seen.density + unseen.density};
}

} // namespace

LinkValue linkAt(Link link, double predictor)
{
    return link == Link::Logistic ? logistic(predictor) : probit(predictor);
}

} // namespace assay::calibration

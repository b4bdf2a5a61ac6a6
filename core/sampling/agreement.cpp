// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/agreement.h"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace assay::sampling {

namespace {

/// Joint shares [first judge][second judge] and the margins of both, index 0 = pass.
struct Shares {
    std::array<std::array<double, 2>, 2> joint;
    std::array<double, 2> first;
    std::array<double, 2> second;
};

Shares sharesOf(const PairedCounts& counts)
{
    const double n = static_cast<double>(counts.total());
    Shares shares{};
    shares.joint = {{{static_cast<double>(counts.bothPass) / n, static_cast<double>(counts.firstPassSecondFail) / n},
                     {static_cast<double>(counts.firstFailSecondPass) / n, static_cast<double>(counts.bothFail) / n}}};
    for (std::size_t i = 0; i < 2; ++i) {
        shares.first[i] = shares.joint[i][0] + shares.joint[i][1];
        shares.second[i] = shares.joint[0][i] + shares.joint[1][i];
    }
    return shares;
}

double kappaVariance(const Shares& shares, double kappa, double expected, double n)
{
    double sum = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
            const double weight = i == j ? 1 - (shares.first[i] + shares.second[i]) * (1 - kappa)
                                         : (1 - kappa) * (shares.second[i] + shares.first[j]);
            sum += shares.joint[i][j] * weight * weight;
        }
    }
    const double centre = kappa - expected * (1 - kappa);
    // Rounding may leave a tiny negative number where the judges agree on everything.
    return std::max(0.0, sum - centre * centre) / (n * (1 - expected) * (1 - expected));
}

} // namespace

std::optional<Agreement> agreement(const PairedCounts& counts)
{
    if (counts.total() <= 0)
        return std::nullopt;
    const Shares shares = sharesOf(counts);
    Agreement result;
    result.observed = shares.joint[0][0] + shares.joint[1][1];
    result.expected = shares.first[0] * shares.second[0] + shares.first[1] * shares.second[1];
    result.pabak = 2 * result.observed - 1;
    if (counts.bothPass == counts.total() || counts.bothFail == counts.total())
        return result;
    const double kappa = (result.observed - result.expected) / (1 - result.expected);
    result.kappa = kappa;
    result.kappaStandardError = std::sqrt(kappaVariance(shares, kappa, result.expected, static_cast<double>(counts.total())));
    return result;
}

double mcnemarExact(const PairedCounts& counts)
{
    if (counts.discordant() <= 0)
        return 1;
    const boost::math::binomial fair(static_cast<double>(counts.discordant()), 0.5);
    const auto smaller = static_cast<double>(std::min(counts.firstPassSecondFail, counts.firstFailSecondPass));
    return std::min(1.0, 2 * boost::math::cdf(fair, smaller));
}

double mcnemarChiSquare(const PairedCounts& counts)
{
    if (counts.discordant() <= 0)
        return 0;
    const auto distance = static_cast<double>(std::abs(counts.firstPassSecondFail - counts.firstFailSecondPass));
    const double corrected = std::max(0.0, distance - 1);
    return corrected * corrected / static_cast<double>(counts.discordant());
}

} // namespace assay::sampling

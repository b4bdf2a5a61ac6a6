// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/kolmogorov_smirnov.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

namespace assay::calibration {

namespace {

/// The largest |i m - j n| over all values, i and j the samples at or below: the statistic times n m, as a whole number.
struct Distance {
    std::int64_t steps = 0;
    double at = 0;
};

Distance largestDistance(std::span<const Series::Entry> first, std::span<const Series::Entry> second)
{
    const auto n = static_cast<std::int64_t>(first.size());
    const auto m = static_cast<std::int64_t>(second.size());
    Distance largest;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < first.size() && j < second.size()) {
        const double value = std::min(first[i].value, second[j].value);
        while (i < first.size() && first[i].value == value)
            ++i;
        while (j < second.size() && second[j].value == value)
            ++j;
        const std::int64_t steps = std::abs(static_cast<std::int64_t>(i) * m - static_cast<std::int64_t>(j) * n);
        if (steps > largest.steps)
            largest = {steps, value};
    }
    return largest;
}

/// Probability that a random order of n and m samples reaches the distance. A sum of positive terms: small values keep their
/// digits, which one minus the rest would lose.
double exactTail(std::int64_t n, std::int64_t m, std::int64_t steps)
{
    std::vector<double> reached(static_cast<std::size_t>(m + 1));
    for (std::int64_t i = 0; i <= n; ++i) {
        for (std::int64_t j = 0; j <= m; ++j) {
            double& here = reached[static_cast<std::size_t>(j)];
            const auto total = static_cast<double>(i + j);
            if (std::abs(i * m - j * n) >= steps)
                here = 1;
            else if (i + j == 0)
                here = 0;
            else {
                const double above = i > 0 ? here * static_cast<double>(i) / total : 0;
                const double left = j > 0 ? reached[static_cast<std::size_t>(j - 1)] * static_cast<double>(j) / total : 0;
                here = above + left;
            }
        }
    }
    return std::min(1.0, reached.back());
}

} // namespace

double kolmogorovTail(double x)
{
    if (x <= 0)
        return 1;
    // Two series of the same function (Jacobi's theta): each converges in a few terms on its side of 1.
    double sum = 0;
    if (x < 1) {
        const double exponent = -std::numbers::pi * std::numbers::pi / (8 * x * x);
        for (int k = 1; k <= 15; k += 2)
            sum += std::exp(exponent * k * k);
        return 1 - std::sqrt(2 * std::numbers::pi) / x * sum;
    }
    for (int k = 1; k <= 8; ++k)
        sum += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
    return sum;
}

std::optional<KolmogorovSmirnov> kolmogorovSmirnov(const Series& first, const Series& second, std::int64_t mostExactWork)
{
    if (first.isEmpty() || second.isEmpty())
        return std::nullopt;
    const std::int64_t n = first.size();
    const std::int64_t m = second.size();
    const Distance distance = largestDistance(first.entries(), second.entries());
    KolmogorovSmirnov result;
    result.statistic = static_cast<double>(distance.steps) / (static_cast<double>(n) * static_cast<double>(m));
    result.atValue = distance.at;
    result.isExact = n <= mostExactWork / m;
    const double scale = std::sqrt(static_cast<double>(n) * static_cast<double>(m) / static_cast<double>(n + m));
    result.p = result.isExact ? exactTail(n, m, distance.steps) : kolmogorovTail(scale * result.statistic);
    return result;
}

} // namespace assay::calibration

// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/density.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay::calibration {

std::optional<double> silvermanBandwidth(std::span<const double> sorted)
{
    if (sorted.size() < 2 || sorted.front() == sorted.back())
        return std::nullopt;
    const auto n = static_cast<double>(sorted.size());
    double mean = 0;
    for (const double value : sorted)
        mean += value / n;
    double squares = 0;
    for (const double value : sorted)
        squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / (n - 1));
    const auto orderStatistic = [&](std::size_t quarters) { return sorted[(quarters * sorted.size() + 3) / 4 - 1]; };
    const double range = (orderStatistic(3) - orderStatistic(1)) / 1.34;
    return 0.9 * (range > 0 ? std::min(deviation, range) : deviation) * std::pow(n, -0.2);
}

std::optional<Density> densityOf(const Series& series, std::size_t points)
{
    const std::vector<double> values = series.logarithms();
    const std::optional<double> bandwidth = silvermanBandwidth(values);
    if (!bandwidth || points < 2)
        return std::nullopt;
    Density result;
    result.bandwidth = *bandwidth;
    const double low = values.front() - 3 * *bandwidth;
    const double step = (values.back() + 3 * *bandwidth - low) / static_cast<double>(points - 1);
    const double height = 1 / (static_cast<double>(values.size()) * *bandwidth * std::sqrt(2 * std::numbers::pi));
    auto first = values.begin();
    for (std::size_t i = 0; i < points; ++i) {
        const double at = low + step * static_cast<double>(i);
        first = std::lower_bound(first, values.end(), at - 9 * *bandwidth);
        double sum = 0;
        for (auto value = first; value != values.end() && *value <= at + 9 * *bandwidth; ++value) {
            const double distance = (at - *value) / *bandwidth;
            sum += std::exp(-distance * distance / 2);
        }
        result.at.push_back(at);
        result.density.push_back(sum * height);
    }
    return result;
}

DecadeHistogram histogramOf(const Series& series, int binsPerDecade)
{
    DecadeHistogram result;
    result.binsPerDecade = binsPerDecade;
    result.classes = series.counts();
    const std::vector<double> values = series.logarithms();
    if (values.empty())
        return result;
    const auto bin = [&](double value) { return static_cast<int>(std::floor(value * binsPerDecade)); };
    result.first = bin(values.front());
    result.counts.resize(static_cast<std::size_t>(bin(values.back()) - result.first + 1));
    for (const double value : values)
        ++result.counts[static_cast<std::size_t>(bin(value) - result.first)];
    return result;
}

} // namespace assay::calibration

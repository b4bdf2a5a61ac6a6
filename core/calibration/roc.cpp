// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/roc.h"

#include "core/sampling/clopper_pearson.h"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace assay::calibration {

namespace {

/// Share of @p others below each value of @p series, ties as half.
std::vector<double> placements(const Series& series, const Series& others)
{
    std::vector<double> result;
    result.reserve(series.entries().size());
    const auto all = others.entries();
    std::size_t below = 0;
    std::size_t notAbove = 0;
    for (const Series::Entry& entry : series.entries()) {
        while (below < all.size() && all[below].value < entry.value)
            ++below;
        while (notAbove < all.size() && all[notAbove].value <= entry.value)
            ++notAbove;
        result.push_back(static_cast<double>(below + notAbove) / (2 * static_cast<double>(all.size())));
    }
    return result;
}

double meanOf(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

double varianceOf(const std::vector<double>& values, double mean)
{
    double sum = 0;
    for (const double value : values)
        sum += (value - mean) * (value - mean);
    return sum / (static_cast<double>(values.size()) - 1);
}

/// Sums of (placement - mean) over each cluster.
std::map<std::uint32_t, double> clusterSums(const Series& series, const std::vector<double>& values, double mean)
{
    std::map<std::uint32_t, double> sums;
    for (std::size_t i = 0; i < values.size(); ++i)
        sums[series.entries()[i].cluster] += values[i] - mean;
    return sums;
}

double squaredSum(const std::map<std::uint32_t, double>& sums)
{
    double total = 0;
    for (const auto& [cluster, sum] : sums)
        total += sum * sum;
    return total;
}

double clusteredVariance(const Series& conforming, const Series& defective, const std::map<std::uint32_t, double>& negatives,
                         const std::map<std::uint32_t, double>& positives)
{
    if (negatives.size() < 2 || positives.size() < 2)
        return std::numeric_limits<double>::quiet_NaN();
    const auto factor = [](std::size_t n) { return static_cast<double>(n) / (static_cast<double>(n) - 1); };
    const auto m = static_cast<double>(defective.size());
    const auto n = static_cast<double>(conforming.size());
    double both = 0;
    std::size_t clusters = negatives.size();
    for (const auto& [cluster, sum] : positives) {
        if (const auto same = negatives.find(cluster); same != negatives.end())
            both += sum * same->second;
        else
            ++clusters;
    }
    return factor(positives.size()) * squaredSum(positives) / (m * m) + factor(negatives.size()) * squaredSum(negatives) / (n * n)
        + 2 * factor(clusters) * both / (m * n);
}

sampling::Interval around(double area, double error, double confidence)
{
    const double spread = boost::math::quantile(boost::math::normal(), 0.5 + confidence / 2) * error;
    if (std::isnan(spread))
        return {0, 1};
    return {std::max(0.0, area - spread), std::min(1.0, area + spread)};
}

BoundedRate bounded(std::int64_t hits, std::size_t of, double confidence)
{
    const auto trials = static_cast<std::int64_t>(of);
    return {hits, trials, sampling::upperBound(hits, trials, confidence)};
}

} // namespace

std::vector<RocPoint> rocCurve(const Series& conforming, const Series& defective)
{
    std::vector<RocPoint> curve;
    const auto negatives = conforming.entries();
    const auto positives = defective.entries();
    std::size_t n = negatives.size(); // entries not above the threshold
    std::size_t p = positives.size();
    const auto point = [&](double threshold) {
        curve.push_back(
            {threshold, static_cast<std::int64_t>(negatives.size() - n), static_cast<std::int64_t>(positives.size() - p)});
    };
    point(std::numeric_limits<double>::infinity());
    while (n > 0 || p > 0) {
        const double value = std::max(n > 0 ? negatives[n - 1].value : 0.0, p > 0 ? positives[p - 1].value : 0.0);
        if (std::isfinite(value))
            point(value);
        while (n > 0 && negatives[n - 1].value == value)
            --n;
        while (p > 0 && positives[p - 1].value == value)
            --p;
    }
    point(-1);
    return curve;
}

sampling::Interval Auc::plain(double confidence) const
{
    return around(area, plainError, confidence);
}

sampling::Interval Auc::clustered(double confidence) const
{
    return around(area, clusteredError, confidence);
}

std::optional<Auc> auc(const Series& conforming, const Series& defective)
{
    if (conforming.size() < 2 || defective.size() < 2)
        return std::nullopt;
    const std::vector<double> positives = placements(defective, conforming);
    std::vector<double> negatives = placements(conforming, defective);
    for (double& value : negatives)
        value = 1 - value; // the share above
    Auc result;
    result.area = meanOf(positives);
    result.plainError = std::sqrt(varianceOf(positives, result.area) / static_cast<double>(positives.size())
                                  + varianceOf(negatives, result.area) / static_cast<double>(negatives.size()));
    const double variance = clusteredVariance(conforming, defective, clusterSums(conforming, negatives, result.area),
                                              clusterSums(defective, positives, result.area));
    // Kernels with samples on both sides can push the estimate below zero.
    result.clusteredError = std::isnan(variance) ? variance : std::sqrt(std::max(0.0, variance));
    return result;
}

ErrorRates errorRates(const Series& conforming, const Series& defective, double threshold, double confidence)
{
    ErrorRates rates;
    rates.falseAlarmSamples = bounded(conforming.above(threshold), conforming.entries().size(), confidence);
    rates.falseAlarmKernels = bounded(conforming.clustersAbove(threshold), conforming.clusters().size(), confidence);
    rates.missedSamples = bounded(defective.size() - defective.above(threshold), defective.entries().size(), confidence);
    rates.missedKernels = bounded(defective.clustersUpTo(threshold), defective.clusters().size(), confidence);
    return rates;
}

} // namespace assay::calibration

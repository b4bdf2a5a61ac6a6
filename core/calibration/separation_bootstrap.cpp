// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/separation_bootstrap.h"

#include <cmath>
#include <limits>

namespace assay::calibration {

namespace {

enum Column : std::size_t { Floor, Onset, Threshold, Below, Above, ColumnCount };

} // namespace

SeparationEstimates bootstrapSeparation(const SampleSet& samples, const ThresholdRule& rule, std::optional<double> threshold,
                                        const BootstrapOptions& options)
{
    std::vector<const Series*> seen;
    for (const PerturbedSeries* group : seenPerturbations(samples, rule))
        seen.push_back(&group->series);
    if (!samples.defects().isEmpty())
        seen.push_back(&samples.defects());
    if (!threshold)
        threshold = separate(samples, rule).threshold;
    const double fixed = threshold ? std::log10(*threshold) : std::numeric_limits<double>::quiet_NaN();

    const auto compute = [&](std::span<const std::uint32_t> weights, std::span<double> out) {
        const double floor = samples.conforming().quantile(rule.floorShare, weights);
        double onset = std::numeric_limits<double>::quiet_NaN();
        for (const Series* series : seen)
            onset = std::fmin(onset, series->quantile(rule.onsetShare, weights)); // a group that was not drawn is NaN: left out
        out[Floor] = std::log10(floor);
        out[Onset] = std::log10(onset);
        const double middle = (out[Floor] + out[Onset]) / 2;
        out[Threshold] = std::isfinite(middle) ? middle : std::numeric_limits<double>::quiet_NaN();
        out[Below] = fixed - out[Floor];
        out[Above] = out[Onset] - fixed;
    };
    const Replicates replicates = resample(samples.strata(), samples.kernels().size(), ColumnCount, compute, options);
    const auto column = [&](Column which) { return estimate(replicates, which, options.confidence); };
    return {column(Floor), column(Onset), column(Threshold), column(Below), column(Above)};
}

} // namespace assay::calibration

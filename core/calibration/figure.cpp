// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/figure.h"

#include "core/calibration/holdout.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace assay::calibration {

namespace {

constexpr int kBandPoints = 121; // a line a person sees no corners in

FigureCurve curveOf(const Series& series)
{
    return {static_cast<std::int64_t>(series.clusters().size()), series.counts(), densityOf(series, 256), ecdfOf(series)};
}

Series disturbedOf(const SampleSet& samples, const ThresholdRule& rule)
{
    Series pooled;
    for (const PerturbedSeries* seen : seenPerturbations(samples, rule))
        pooled.add(seen->series);
    pooled.finish();
    return pooled;
}

FigureHalf halfOf(const SampleSet& samples, const ThresholdRule& rule)
{
    return {static_cast<std::int64_t>(samples.kernels().size()), samples.conforming(), oughtToBeSeen(samples, rule)};
}

std::vector<double> bandScales(const std::vector<ScaleOutcome>& outcomes)
{
    std::vector<double> scales;
    const double low = std::log10(outcomes.front().scale);
    const double high = std::log10(outcomes.back().scale);
    for (int i = 0; i < kBandPoints; ++i)
        scales.push_back(low + (high - low) * i / (kBandPoints - 1));
    return scales;
}

std::vector<FigureDetection> detectionsOf(const SampleSet& samples, double threshold, const BootstrapOptions& options)
{
    std::set<std::string> names;
    for (const PerturbedSeries& one : samples.perturbations())
        names.insert(one.perturbation);
    std::vector<FigureDetection> found;
    for (const std::string& name : names) {
        FigureDetection detection{name, outcomesAt(samples, name, threshold), {}, {}, {}};
        detection.fit = fitDetection(detection.outcomes, Link::Logistic);
        if (detection.fit.isFitted()) {
            detection.log10Scales = bandScales(detection.outcomes);
            detection.estimates = bootstrapDetection(samples, name, threshold, Link::Logistic, detection.log10Scales, options);
        }
        found.push_back(std::move(detection));
    }
    return found;
}

const FrozenThreshold* frozenOf(const FrozenCalibration& frozen, const CellName& cell)
{
    const auto found = std::ranges::find_if(frozen.thresholds, [&](const FrozenThreshold& one) {
        return one.gate == cell.gate && one.family == cell.family && one.dtype == cell.dtype;
    });
    return found == frozen.thresholds.end() ? nullptr : &*found;
}

} // namespace

std::string title(const CellName& cell)
{
    return cell.gate + ", " + (cell.family == "all" ? std::string("all families") : cell.family)
        + (cell.dtype.empty() ? "" : ", " + cell.dtype);
}

FigureData figureOf(const CellName& cell, std::span<const Sample> samples, const FrozenCalibration& frozen,
                    const std::string& version, BootstrapOptions options)
{
    options.seed = frozen.seed;
    const Split halves = split(samples, frozen.seed, frozen.holdOutShare);
    const SampleSet calibration(halves.calibration);
    const SampleSet holdOut(halves.holdOut);

    FigureData figure;
    figure.cell = cell;
    figure.version = version;
    figure.device = frozen.device;
    figure.versions = frozen.versions;
    figure.seed = frozen.seed;
    figure.replicates = options.replicates;
    figure.rule = frozen.rule;
    figure.conforming = curveOf(calibration.conforming());
    figure.disturbed = curveOf(disturbedOf(calibration, frozen.rule));
    figure.defects = curveOf(calibration.defects());
    figure.calibration = halfOf(calibration, frozen.rule);
    figure.holdOut = halfOf(holdOut, frozen.rule);

    figure.separation = separate(calibration, frozen.rule);
    const FrozenThreshold* stored = frozenOf(frozen, cell);
    figure.threshold = stored != nullptr ? stored->threshold : figure.separation.threshold;
    figure.isByHand = figure.threshold != figure.separation.threshold;
    figure.state = stateUnder(figure.separation, figure.rule, figure.threshold);
    figure.ground = groundOf(samples, frozen.seed, frozen.holdOutShare, frozen.rule);
    figure.limit = limitUnder(figure, figure.threshold);
    const std::optional<double> line = figure.line();
    figure.estimates = bootstrapSeparation(calibration, frozen.rule, line, options);
    figure.roc = rocCurve(figure.calibration.conforming, figure.calibration.seen);
    figure.area = auc(figure.calibration.conforming, figure.calibration.seen);
    if (line) {
        figure.trial = tryThreshold(figure, *line);
        figure.missed = errorRates(figure.ground.heldOut, figure.ground.seen, *line).missedSamples;
        figure.detections = detectionsOf(calibration, *line, options);
    }
    return figure;
}

Limit limitUnder(const FigureData& figure, std::optional<double> threshold)
{
    FrozenThreshold frozen = freeze(figure.separation, figure.cell.gate, figure.cell.family, figure.cell.dtype);
    frozen.state = stateUnder(figure.separation, figure.rule, threshold);
    frozen.threshold = threshold;
    return limitOf(rowOf(frozen, figure.ground, figure.rule));
}

ThresholdTrial tryThreshold(const FigureData& figure, double threshold)
{
    return {threshold, errorRates(figure.calibration.conforming, figure.calibration.seen, threshold),
            errorRates(figure.holdOut.conforming, figure.holdOut.seen, threshold),
            marginsOf(threshold, figure.separation.floor, figure.separation.onset)};
}

GapState stateUnder(const Separation& separation, const ThresholdRule& rule, std::optional<double> threshold)
{
    if (!threshold || threshold == separation.threshold)
        return separation.state;
    const std::optional<Margins> margins = marginsOf(*threshold, separation.floor, separation.onset);
    if (!margins)
        return separation.state;
    if (separation.floor >= separation.onset)
        return GapState::Overlap;
    const bool isSafe = margins->below >= rule.leastBelow && margins->above >= rule.leastAbove;
    return isSafe ? GapState::Safe : GapState::NoSafeGap;
}

} // namespace assay::calibration

// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/separation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::calibration {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool hasLogarithm(double value)
{
    return std::isfinite(value) && value > 0;
}

std::vector<OnsetGroup> onsetGroups(const SampleSet& samples, const ThresholdRule& rule)
{
    std::vector<OnsetGroup> groups;
    const auto add = [&](const std::string& perturbation, double scale, const Series& series) {
        const bool isSmallest = rankOf(rule.onsetShare, series.size()) == 1;
        const double onset = series.quantile(rule.onsetShare);
        groups.push_back({perturbation, scale, series.size(), onset, isSmallest, series.clustersUpTo(onset)});
    };
    for (const PerturbedSeries* seen : seenPerturbations(samples, rule))
        add(seen->perturbation, seen->scale, seen->series);
    if (!samples.defects().isEmpty())
        add("", 0, samples.defects());
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.onset < b.onset; });
    return groups;
}

GapState stateOf(const Separation& separation, const ThresholdRule& rule)
{
    if (std::isnan(separation.floor))
        return GapState::NoConforming;
    if (!std::isfinite(separation.floor))
        return GapState::FloorNonFinite;
    if (std::isnan(separation.onset))
        return GapState::NoDefects;
    if (separation.onset == 0)
        return GapState::ZeroOnset;
    if (separation.floor == 0)
        return GapState::ZeroFloor;
    if (!std::isfinite(separation.onset))
        return GapState::OnsetNonFinite;
    if (separation.floor >= separation.onset)
        return GapState::Overlap;
    const bool safe = separation.margins->below >= rule.leastBelow && separation.margins->above >= rule.leastAbove;
    return safe ? GapState::Safe : GapState::NoSafeGap;
}

} // namespace

std::string_view sentence(GapState state)
{
    switch (state) {
    case GapState::Safe:
        return "safe gap";
    case GapState::NoSafeGap:
        return "no safe gap";
    case GapState::Overlap:
        return "floor and onset overlap";
    case GapState::NoConforming:
        return "no conforming kernel was measured";
    case GapState::NoDefects:
        return "no defect was measured";
    case GapState::ZeroFloor:
        return "conforming kernels measure exactly 0";
    case GapState::FloorNonFinite:
        return "conforming kernels measure NaN or Inf";
    case GapState::ZeroOnset:
        return "defects measure exactly 0";
    case GapState::OnsetNonFinite:
        return "defects measure only NaN or Inf";
    }
    return "";
}

std::vector<const PerturbedSeries*> seenPerturbations(const SampleSet& samples, const ThresholdRule& rule)
{
    std::vector<const PerturbedSeries*> seen;
    for (const PerturbedSeries& group : samples.perturbations()) {
        const bool first = seen.empty() || seen.back()->perturbation != group.perturbation;
        if (first && group.scale >= rule.seenFrom && !group.series.isEmpty())
            seen.push_back(&group);
    }
    return seen;
}

Series oughtToBeSeen(const SampleSet& samples, const ThresholdRule& rule)
{
    Series series;
    series.add(samples.defects());
    for (const PerturbedSeries* seen : seenPerturbations(samples, rule))
        series.add(seen->series);
    series.finish();
    return series;
}

Separation separate(const SampleSet& samples, const ThresholdRule& rule)
{
    Separation result;
    const Series& conforming = samples.conforming();
    result.floor = conforming.quantile(rule.floorShare);
    result.floorIsLargest = !conforming.isEmpty() && rankOf(rule.floorShare, conforming.size()) == conforming.size();
    result.floorKernels = conforming.isEmpty() ? 0 : conforming.clustersFrom(result.floor);
    result.groups = onsetGroups(samples, rule);
    result.onset = result.groups.empty() ? kNaN : result.groups.front().onset;
    if (const double threshold = thresholdBetween(result.floor, result.onset); hasLogarithm(threshold)) {
        result.threshold = threshold;
        result.margins = marginsOf(threshold, result.floor, result.onset);
    }
    result.state = stateOf(result, rule);
    return result;
}

std::optional<Margins> marginsOf(double threshold, double floor, double onset)
{
    if (!hasLogarithm(threshold) || !hasLogarithm(floor) || !hasLogarithm(onset))
        return std::nullopt;
    return Margins{std::log10(threshold) - std::log10(floor), std::log10(onset) - std::log10(threshold)};
}

double thresholdBetween(double floor, double onset)
{
    if (!hasLogarithm(floor) || !hasLogarithm(onset))
        return kNaN;
    const double middle = std::pow(10.0, (std::log10(floor) + std::log10(onset)) / 2);
    return std::clamp(middle, std::min(floor, onset), std::max(floor, onset)); // rounding may step over neighbouring doubles
}

} // namespace assay::calibration

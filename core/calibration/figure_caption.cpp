// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/figure.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <utility>

namespace assay::calibration {

namespace {

constexpr std::size_t kVersionDigits = 12; // enough to tell versions apart in print

std::string amount(std::int64_t count, std::string_view one)
{
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string beside(const ValueCounts& counts)
{
    std::string text;
    const auto add = [&](std::int64_t count, std::string_view what) {
        if (count > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    };
    add(counts.zeros, "exactly 0");
    add(counts.nan, "NaN");
    add(counts.posInf, "Inf");
    add(counts.impossible, "impossible");
    add(counts.absent, "not measured");
    return text.empty() ? text : " (" + text + ")";
}

std::string curve(std::string_view name, const FigureCurve& curve)
{
    return fmt::format("{} of {} {}{}", amount(curve.counts.ranked(), "sample"), amount(curve.kernels, "kernel"), name,
                       beside(curve.counts));
}

std::string margin(std::string_view name, double value, const Estimate& estimate)
{
    const auto& interval = estimate.bca ? estimate.bca : estimate.percentile;
    return interval ? fmt::format("{} {:.2f} [{:.2f}, {:.2f}]", name, value, interval->low, interval->high)
                    : fmt::format("{} {:.2f}", name, value);
}

/// What decides, and how it came about.
std::string decision(const FigureData& figure)
{
    const Limit& limit = *figure.limit;
    switch (limit.kind) {
    case LimitKind::InGap:
    case LimitKind::AboveFloor:
        return fmt::format("Limit {:.3g} decides, {}", limit.value, wordsOf(limit, figure.isByHand));
    case LimitKind::RulesOwn:
        return fmt::format("Limit {:.3g} decides, that of the rules: a decade above the floor would be looser", limit.value);
    case LimitKind::NotCalibrated:
        return fmt::format("Limit {:.3g} of the rules decides, not calibrated ({})", limit.value, limit.reason);
    case LimitKind::ByFamily:
        break;
    }
    return fmt::format("No one limit decides, each family has its own; {:.3g} is {}", *figure.threshold,
                       figure.isByHand ? "set by hand" : "midway between floor and onset");
}

/// A limit from the floor alone owes its reader how much it lets through.
std::string sightLine(const FigureData& figure)
{
    std::string text = decision(figure);
    if (figure.missed.of > 0)
        text += fmt::format("; it sees {} of {} samples that ought to be seen", figure.missed.of - figure.missed.hits,
                            figure.missed.of);
    if (figure.limit->isOneSided())
        text += ", and does not promise to see them all";
    return text + ".";
}

std::string marginLine(const FigureData& figure)
{
    std::string text;
    if (!figure.trial->margins && figure.limit->reason == sentence(figure.state))
        return text; // said already
    if (figure.trial->margins)
        text = "Margins in decades with cluster-bootstrap 95 % intervals "
            + margin("below", figure.trial->margins->below, figure.estimates.below) + ", "
            + margin("above", figure.trial->margins->above, figure.estimates.above) + "; ";
    text += std::string(sentence(figure.state)) + ".";
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    if (figure.isDecided() && figure.threshold && figure.threshold != figure.line())
        text += fmt::format(" The threshold {}, {:.3g} (dotted), decides nothing.",
                            figure.isByHand ? "set by hand" : "midway between floor and onset", *figure.threshold);
    return text;
}

std::string holdOutLine(const FigureData& figure)
{
    if (figure.holdOut.kernels == 0)
        return "No kernel was held out.";
    const ErrorRates& rates = figure.trial->onHoldOut;
    if (rates.falseAlarmKernels.of == 0)
        return fmt::format("Held out: {}, no right one.", amount(figure.holdOut.kernels, "kernel"));
    const BoundedRate& alarms = rates.falseAlarmKernels;
    return fmt::format(
        "Held out: {}; false alarms in {} of {} right ones, at most {:.3g} % with 95 % confidence; {} of {} samples "
        "missed that ought to be seen.",
        amount(figure.holdOut.kernels, "kernel"), alarms.hits, alarms.of, 100 * alarms.upper, rates.missedSamples.hits,
        rates.missedSamples.of);
}

std::string provenanceLine(const FigureData& figure)
{
    std::string text = fmt::format("Seed {}, {} replicates, {}", figure.seed, figure.replicates,
                                   figure.device.empty() ? "device not recorded" : figure.device);
    for (const auto& [what, version] : figure.versions)
        text += fmt::format(", {} {}", what, version);
    return text + fmt::format("; calibration {}.", figure.version.substr(0, kVersionDigits));
}

} // namespace

std::vector<std::string> captionOf(const FigureData& figure)
{
    std::vector<std::string> lines;
    lines.push_back("Calibration half: " + curve("that conform", figure.conforming) + ", "
                    + curve("disturbed by a scale that ought to be seen", figure.disturbed) + ", "
                    + curve("with a real defect", figure.defects) + ".");
    if (figure.line()) {
        lines.push_back(sightLine(figure));
        if (std::string line = marginLine(figure); !line.empty())
            lines.push_back(std::move(line));
        lines.push_back(holdOutLine(figure));
    } else {
        lines.push_back("No threshold: " + std::string(sentence(figure.state)) + ".");
    }
    lines.push_back(provenanceLine(figure));
    return lines;
}

} // namespace assay::calibration

// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/frozen.h"

#include "core/text/error.h"
#include "core/text/json.h"
#include "core/text/raw_json.h"
#include "core/text/sha256.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace assay::calibration {

namespace {

std::string number(double value)
{
    if (!std::isfinite(value))
        throw Error("a calibration with a number that is not finite cannot be frozen", "", "Leave the number out");
    return json::exactNumber(value);
}

std::string number(const std::optional<double>& value)
{
    return value ? number(*value) : "null";
}

std::string member(std::string_view key, const std::string& value)
{
    return json::quoted(key) + ':' + value;
}

std::string text(std::string_view value)
{
    return json::quoted(value);
}

std::string share(Share value)
{
    return '[' + std::to_string(value.part) + ',' + std::to_string(value.whole) + ']';
}

auto keyOf(const FrozenThreshold& threshold)
{
    return std::tie(threshold.gate, threshold.family, threshold.dtype);
}

std::vector<FrozenThreshold> sorted(std::vector<FrozenThreshold> thresholds)
{
    std::sort(thresholds.begin(), thresholds.end(), [](const auto& a, const auto& b) { return keyOf(a) < keyOf(b); });
    const auto twice = std::adjacent_find(thresholds.begin(), thresholds.end(),
                                          [](const auto& a, const auto& b) { return keyOf(a) == keyOf(b); });
    if (twice != thresholds.end())
        throw Error("a calibration has two thresholds for one gate, family and dtype",
                    twice->gate + ", " + twice->family + ", " + twice->dtype, "Keep one");
    return thresholds;
}

std::string thresholdJson(const FrozenThreshold& threshold)
{
    return '{' + member("dtype", text(threshold.dtype)) + ',' + member("family", text(threshold.family)) + ','
        + member("floor", number(threshold.floor)) + ',' + member("gate", text(threshold.gate)) + ','
        + member("onset", number(threshold.onset)) + ',' + member("state", text(name(threshold.state))) + ','
        + member("threshold", number(threshold.threshold)) + '}';
}

std::string ruleJson(const ThresholdRule& rule)
{
    return '{' + member("floor_share", share(rule.floorShare)) + ',' + member("least_above", number(rule.leastAbove)) + ','
        + member("least_below", number(rule.leastBelow)) + ',' + member("onset_share", share(rule.onsetShare)) + ','
        + member("seen_from", number(rule.seenFrom)) + '}';
}

std::string sampleLine(const Sample& sample)
{
    const std::string value
        = sample.value.isFinite() ? json::exactNumber(sample.value.value) : std::string(tensor::name(sample.value.valueClass));
    return '[' + std::to_string(static_cast<int>(sample.kind)) + ',' + text(sample.kernel) + ',' + text(sample.perturbation) + ','
        + text(json::exactNumber(sample.scale)) + ',' + text(value) + "]\n";
}

} // namespace

std::string_view name(GapState state)
{
    switch (state) {
    case GapState::Safe:
        return "safe";
    case GapState::NoSafeGap:
        return "no-safe-gap";
    case GapState::Overlap:
        return "overlap";
    case GapState::NoConforming:
        return "no-conforming";
    case GapState::NoDefects:
        return "no-defects";
    case GapState::ZeroFloor:
        return "zero-floor";
    case GapState::FloorNonFinite:
        return "floor-non-finite";
    case GapState::ZeroOnset:
        return "zero-onset";
    case GapState::OnsetNonFinite:
        return "onset-non-finite";
    }
    return "";
}

std::string digestOf(std::span<const Sample> samples)
{
    std::vector<std::string> lines;
    lines.reserve(samples.size());
    for (const Sample& sample : samples)
        lines.push_back(sampleLine(sample));
    std::sort(lines.begin(), lines.end());
    Sha256 sha;
    for (const std::string& line : lines)
        sha.update(line);
    return sha.finishHex();
}

std::string canonicalJson(const FrozenCalibration& calibration)
{
    std::string thresholds;
    for (const FrozenThreshold& threshold : sorted(calibration.thresholds))
        thresholds += (thresholds.empty() ? "" : ",") + thresholdJson(threshold);
    std::string versions;
    for (const auto& [what, version] : calibration.versions)
        versions += (versions.empty() ? "" : ",") + member(what, text(version));
    return '{' + member("device", text(calibration.device)) + ',' + member("hold_out_share", number(calibration.holdOutShare))
        + ',' + member("rule", ruleJson(calibration.rule)) + ',' + member("samples", text(calibration.samplesDigest)) + ','
        + member("schema", text("assay.calibration/1")) + ',' + member("seed", text(std::to_string(calibration.seed))) + ','
        + member("thresholds", '[' + thresholds + ']') + ',' + member("versions", '{' + versions + '}') + '}';
}

std::string versionOf(const FrozenCalibration& calibration)
{
    return sha256Hex(canonicalJson(calibration));
}

} // namespace assay::calibration

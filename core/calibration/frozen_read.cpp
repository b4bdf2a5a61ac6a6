// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/frozen.h"

#include "core/text/error.h"
#include "core/text/json.h"

#include <charconv>
#include <utility>

namespace assay::calibration {

namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what)
{
    throw Error("the definition of a calibration cannot be read: " + what, where, "Calibrate again; it was changed by hand");
}

GapState stateNamed(std::string_view text, const std::string& where)
{
    for (int i = 0; i <= static_cast<int>(GapState::OnsetNonFinite); ++i) {
        if (name(static_cast<GapState>(i)) == text)
            return static_cast<GapState>(i);
    }
    refuse(where, "no state is called \"" + std::string(text) + "\"");
}

Share shareAt(const json::Value& rule, std::string_view key, const std::string& where)
{
    const json::Value* pair = json::find(rule, key);
    if (pair == nullptr || !pair->IsArray() || pair->Size() != 2 || !(*pair)[0].IsInt64() || !(*pair)[1].IsInt64())
        refuse(where, "no " + std::string(key));
    return {(*pair)[0].GetInt64(), (*pair)[1].GetInt64()};
}

double needNumber(const json::Value& object, std::string_view key, const std::string& where)
{
    const std::optional<double> value = json::numberAt(object, key);
    if (!value)
        refuse(where, "no " + std::string(key));
    return *value;
}

ThresholdRule ruleOf(const json::Value& value, const std::string& where)
{
    ThresholdRule rule;
    rule.floorShare = shareAt(value, "floor_share", where);
    rule.onsetShare = shareAt(value, "onset_share", where);
    rule.seenFrom = needNumber(value, "seen_from", where);
    rule.leastBelow = needNumber(value, "least_below", where);
    rule.leastAbove = needNumber(value, "least_above", where);
    return rule;
}

FrozenThreshold thresholdOf(const json::Value& value, const std::string& where)
{
    FrozenThreshold threshold;
    threshold.gate = json::stringAt(value, "gate").value_or("");
    threshold.family = json::stringAt(value, "family").value_or("");
    threshold.dtype = json::stringAt(value, "dtype").value_or("");
    threshold.state = stateNamed(json::stringAt(value, "state").value_or(""), where);
    threshold.floor = json::numberAt(value, "floor");
    threshold.onset = json::numberAt(value, "onset");
    threshold.threshold = json::numberAt(value, "threshold");
    return threshold;
}

std::uint64_t seedOf(const json::Value& document, const std::string& where)
{
    const std::string text = json::stringAt(document, "seed").value_or("");
    std::uint64_t seed = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (problem != std::errc() || end != text.data() + text.size() || text.empty())
        refuse(where, "no seed");
    return seed;
}

} // namespace

FrozenCalibration readFrozen(std::string_view definition, const std::string& where)
{
    json::Document document;
    if (const auto failure = json::parse(definition, document))
        refuse(where, failure->reason);
    const json::Value* rule = document.IsObject() ? json::find(document, "rule") : nullptr;
    const json::Value* thresholds = document.IsObject() ? json::find(document, "thresholds") : nullptr;
    if (rule == nullptr || thresholds == nullptr || !thresholds->IsArray())
        refuse(where, "no rule or no thresholds");
    FrozenCalibration frozen;
    frozen.rule = ruleOf(*rule, where);
    for (const json::Value& one : thresholds->GetArray())
        frozen.thresholds.push_back(thresholdOf(one, where));
    frozen.samplesDigest = json::stringAt(document, "samples").value_or("");
    frozen.device = json::stringAt(document, "device").value_or("");
    frozen.seed = seedOf(document, where);
    frozen.holdOutShare = needNumber(document, "hold_out_share", where);
    if (const json::Value* versions = json::find(document, "versions"); versions != nullptr && versions->IsObject()) {
        for (const auto& member : versions->GetObject()) {
            if (member.value.IsString())
                frozen.versions[member.name.GetString()] = member.value.GetString();
        }
    }
    return frozen;
}

} // namespace assay::calibration

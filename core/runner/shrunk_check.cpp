// SPDX-License-Identifier: Apache-2.0
#include "core/runner/shrunk_check.h"

#include "core/text/json.h"

#include <algorithm>
#include <string>

namespace assay::runner {

namespace {

/// @p told is a check as a verdict spells it; see verdict_json.h.
store::CheckRecord checkOf(const json::Value& told)
{
    const auto text = [](const json::Value& object, const char* key) { return json::stringAt(object, key).value_or(""); };
    store::CheckRecord check;
    check.code = text(told, "code");
    check.verdict = contract::verdictFromName(text(told, "verdict")).value_or(contract::Verdict::Unknown);
    check.severity = contract::severityFromName(text(told, "severity")).value_or(contract::Severity::None);
    check.metric = text(told, "metric");
    if (const auto value = json::numberAt(told, "value"))
        check.value = tensor::measured(*value);
    if (const auto threshold = json::numberAt(told, "threshold"))
        check.threshold = tensor::measured(*threshold);
    if (json::boolAt(told, "calibrated").value_or(false))
        check.holdOutBound = json::numberAt(told, "holdout_bound").value_or(1);
    check.reasonCode = text(told, "reason");
    check.finding = text(told, "sentence");
    if (const json::Value* const stimulus = json::find(told, "stimulus"); stimulus != nullptr && stimulus->IsObject()) {
        check.stimulus = text(*stimulus, "label");
        check.recipe = text(*stimulus, "recipe");
        check.stimulusSha256 = text(*stimulus, "sha256");
    }
    check.output = json::stringAt(told, "output");
    if (const json::Value* const index = json::find(told, "worst_index"); index != nullptr && index->IsArray()) {
        for (const json::Value& place : index->GetArray()) {
            if (place.IsInt64())
                check.worstIndex.push_back(place.GetInt64());
        }
    }
    return check;
}

} // namespace

std::optional<ShrunkCheck> shrunkCheckIn(const std::vector<store::ArtifactRecord>& artifacts)
{
    const auto it = std::ranges::find(artifacts, kShrunkRole, &store::ArtifactRecord::role);
    json::Document told;
    if (it == artifacts.end() || json::parse(it->bytes, told) || !told.IsObject())
        return std::nullopt;
    ShrunkCheck found;
    found.ordinal = it->ordinal;
    found.remark = json::stringAt(told, "remark").value_or("");
    found.questions = static_cast<int>(json::integerAt(told, "questions").value_or(0));
    if (!json::boolAt(told, "found").value_or(false))
        return found;
    found.check = checkOf(told);
    const std::string prefix = std::string(kShrunkRole) + "_";
    for (const store::ArtifactRecord& artifact : artifacts) {
        if (artifact.ordinal != found.ordinal || !artifact.role.starts_with(prefix))
            continue;
        found.artifacts.push_back(artifact);
        found.artifacts.back().role.erase(0, prefix.size());
    }
    return found;
}

} // namespace assay::runner

// SPDX-License-Identifier: Apache-2.0
#include "core/runner/verdict_summary.h"

namespace assay::runner {

namespace {

rapidjson::Value::ConstArray elements(const json::Value& object, std::string_view key)
{
    static const json::Value kNone(rapidjson::kArrayType);
    const json::Value* const list = json::find(object, key);
    return list != nullptr && list->IsArray() ? list->GetArray() : kNone.GetArray();
}

contract::Severity severityAt(const json::Value& object)
{
    return contract::severityFromName(json::stringAt(object, "severity").value_or("")).value_or(contract::Severity::None);
}

GateSummary gateSummary(const json::Value& object)
{
    GateSummary gate;
    gate.verdict = contract::verdictFromName(json::stringAt(object, "verdict").value_or("")).value_or(gate.verdict);
    gate.severity = severityAt(object);
    gate.exercised = static_cast<int>(json::integerAt(object, "exercised").value_or(0));
    gate.total = static_cast<int>(json::integerAt(object, "total").value_or(0));
    gate.finding = json::stringAt(object, "finding").value_or("");
    gate.noted = gate.severity == contract::Severity::Note;
    for (const json::Value& check : elements(object, "checks"))
        gate.noted = gate.noted || severityAt(check) == contract::Severity::Note;
    return gate;
}

} // namespace

VerdictSummary summaryOf(const json::Value& verdict)
{
    VerdictSummary summary;
    summary.verdict = contract::verdictFromName(json::stringAt(verdict, "verdict").value_or("")).value_or(summary.verdict);
    summary.reason = json::stringAt(verdict, "reason").value_or("");
    summary.seconds = json::numberAt(verdict, "seconds").value_or(0);
    if (const json::Value* const versions = json::find(verdict, "versions"))
        summary.torch = json::stringAt(*versions, "torch").value_or("");
    for (const json::Value& object : elements(verdict, "gates")) {
        if (const auto gate = contract::gateFromId(json::stringAt(object, "id").value_or("")))
            summary.of(*gate) = gateSummary(object);
    }
    for (const json::Value& flag : elements(verdict, "flags")) {
        if (const auto gate = contract::gateFromId(json::stringAt(flag, "gate").value_or("")))
            summary.of(*gate).noted = true;
    }
    return summary;
}

} // namespace assay::runner

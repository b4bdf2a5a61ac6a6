// SPDX-License-Identifier: Apache-2.0
#include "core/runner/excess_json.h"

#include <optional>
#include <utility>

namespace assay::runner {

namespace {

using contract::ExcessKind;
using contract::ExcessSample;

std::optional<ExcessKind> kindNamed(std::string_view text)
{
    for (const ExcessKind kind : {ExcessKind::Conforming, ExcessKind::Perturbed}) {
        if (contract::name(kind) == text)
            return kind;
    }
    return std::nullopt;
}

} // namespace

void writeExcess(json::ObjectText& out, const std::vector<ExcessSample>& samples)
{
    out.objects("calibration", samples, [&](const ExcessSample& sample) {
        out.text("gate", contract::id(sample.gate));
        out.text("dtype", tensor::name(sample.dtype));
        out.text("kind", contract::name(sample.kind));
        out.text("source", sample.source);
        out.number("scale", sample.scale);
        out.measured("value", sample.value);
        out.integer("checks", sample.checks);
    });
}

std::vector<ExcessSample> readExcess(const json::Value& verdict)
{
    std::vector<ExcessSample> samples;
    const json::Value* const given = json::find(verdict, "calibration");
    if (given == nullptr || !given->IsArray())
        return samples;
    for (const json::Value& item : given->GetArray()) {
        if (!item.IsObject())
            continue;
        const auto gate = contract::gateFromId(json::stringAt(item, "gate").value_or(""));
        const auto dtype = tensor::dtypeFromName(json::stringAt(item, "dtype").value_or(""));
        const auto kind = kindNamed(json::stringAt(item, "kind").value_or(""));
        const auto value = json::numberAt(item, "value");
        if (!gate || !dtype || !kind || !value)
            continue;
        ExcessSample sample{*gate,
                            *dtype,
                            *kind,
                            json::stringAt(item, "source").value_or(""),
                            json::numberAt(item, "scale").value_or(0),
                            tensor::measured(*value),
                            static_cast<int>(json::integerAt(item, "checks").value_or(0))};
        samples.push_back(std::move(sample));
    }
    return samples;
}

} // namespace assay::runner

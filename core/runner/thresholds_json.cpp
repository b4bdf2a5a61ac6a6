// SPDX-License-Identifier: Apache-2.0
#include "core/runner/thresholds_json.h"

#include "core/contract/excess_probe.h"
#include "core/text/error.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace assay::runner {

namespace {

constexpr std::size_t kMostLetters = 100;

[[noreturn]] void refuse(const std::string& what)
{
    throw Error("the thresholds make no sense: " + what, "thresholds",
                R"(Send {"version","device","cells":[{"gate","dtype","value","holdout_bound"}]})");
}

/// Both go into the contract's text as they are.
bool isPlain(std::string_view text)
{
    return !text.empty() && text.size() <= kMostLetters
        && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

contract::ThresholdCell readCell(const json::Value& object)
{
    if (!object.IsObject())
        refuse("a cell is no object");
    const auto gate = contract::gateFromId(json::stringAt(object, "gate").value_or(""));
    if (!gate || !contract::ExcessProbe::isCalibrated(*gate))
        refuse("a cell is of a gate that is not calibrated");
    const auto dtype = tensor::dtypeFromName(json::stringAt(object, "dtype").value_or(""));
    if (!dtype || !tensor::isFloating(*dtype))
        refuse("a cell is of no floating dtype");
    const double value = json::numberAt(object, "value").value_or(0);
    if (!(std::isfinite(value) && value > 0))
        refuse("a cell's value is no positive number");
    const double bound = json::numberAt(object, "holdout_bound").value_or(-1);
    if (!(bound >= 0 && bound <= 1))
        refuse("a cell's holdout_bound is no share");
    return {*gate, *dtype, value, bound};
}

} // namespace

void writeThresholds(json::ObjectText& out, const AskedThresholds& asked)
{
    if (asked.table.isEmpty())
        return;
    out.object("thresholds", [&] {
        out.text("version", asked.table.version);
        out.text("device", asked.table.device);
        out.objects("cells", asked.cells.cells, [&](const contract::ThresholdCell& cell) {
            out.text("gate", contract::id(cell.gate));
            out.text("dtype", tensor::name(cell.dtype));
            out.number("value", cell.value);
            out.number("holdout_bound", cell.holdOutBound);
        });
    });
}

AskedThresholds readThresholds(const json::Value& request)
{
    AskedThresholds asked;
    const json::Value* const given = json::find(request, "thresholds");
    if (given == nullptr || given->IsNull())
        return asked;
    asked.table = readThresholdTableName(*given);
    asked.cells.version = asked.table.version;
    const json::Value* const cells = json::find(*given, "cells");
    if (cells == nullptr || !cells->IsArray())
        refuse("there are no cells");
    for (const json::Value& cell : cells->GetArray()) {
        const contract::ThresholdCell read = readCell(cell);
        if (asked.cells.find(read.gate, read.dtype) != nullptr)
            refuse("a gate and dtype have two cells");
        asked.cells.cells.push_back(read);
    }
    return asked;
}

contract::ThresholdTableName readThresholdTableName(const json::Value& value)
{
    contract::ThresholdTableName table;
    if (!value.IsObject())
        refuse("they are no object");
    table.version = json::stringAt(value, "version").value_or("");
    table.device = json::stringAt(value, "device").value_or("");
    if (!isPlain(table.version) || !isPlain(table.device))
        refuse("they name no version or no device");
    return table;
}

} // namespace assay::runner

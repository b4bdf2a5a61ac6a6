// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/threshold_table.h"

#include "core/calibration/holdout.h"
#include "core/calibration/roc.h"
#include "core/text/error.h"
#include "core/text/json.h"
#include "core/text/raw_json.h"
#include "core/text/sha256.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace assay::calibration {

namespace {

constexpr std::string_view kSchema = "assay.thresholds/1";
constexpr std::array<std::string_view, 4> kGates = {"CMP-01", "ORD-01", "PRC-01", "PRC-02"};
constexpr std::array<std::string_view, 2> kNoFamilies = {"all", "unknown"};
/// The noise of one kernel says nothing about how kernels differ.
constexpr std::int64_t kLeastKernels = 2;
/// A limit set from the floor alone stands this far above it, where the rules' own limit of 1 does not come first.
constexpr double kAboveFloor = 10;

auto keyOf(const ThresholdRow& row)
{
    return std::tie(row.gate, row.family, row.dtype);
}

std::vector<ThresholdRow> sorted(std::vector<ThresholdRow> rows)
{
    std::ranges::sort(rows, [](const auto& a, const auto& b) { return keyOf(a) < keyOf(b); });
    const auto twice = std::ranges::adjacent_find(rows, [](const auto& a, const auto& b) { return keyOf(a) == keyOf(b); });
    if (twice != rows.end())
        throw Error("a table of thresholds has two for one gate, family and dtype",
                    twice->gate + ", " + twice->family + ", " + twice->dtype, "Keep one");
    return rows;
}

std::string number(double value)
{
    if (!std::isfinite(value))
        throw Error("a table of thresholds has a number that is not finite", "", "Calibrate again");
    return json::exactNumber(value);
}

std::string number(const std::optional<double>& value)
{
    return value ? number(*value) : "null";
}

std::string rowJson(const ThresholdRow& row)
{
    const auto text = [](const char* key, const std::string& value) { return json::quoted(key) + ':' + json::quoted(value); };
    const auto bare = [](const char* key, const std::string& value) { return json::quoted(key) + ':' + value; };
    return '{' + text("dtype", row.dtype) + ',' + text("family", row.family) + ',' + bare("floor", number(row.floor)) + ','
        + text("gate", row.gate) + ',' + bare("hold_out_alarms", std::to_string(row.holdOutAlarms)) + ','
        + bare("hold_out_bound", number(row.holdOutBound)) + ',' + bare("hold_out_kernels", std::to_string(row.holdOutKernels))
        + ',' + bare("kernels", std::to_string(row.kernels)) + ',' + bare("one_sided", row.isOneSided ? "true" : "false") + ','
        + bare("onset", number(row.onset)) + ',' + text("reason", row.reason) + ',' + bare("seen", number(row.seenShare)) + ','
        + bare("threshold", number(row.threshold)) + '}';
}

/// Everything but the version, with @p between before and after every row.
std::string members(const ThresholdTable& table, const std::string& between)
{
    std::string rows;
    for (const ThresholdRow& row : sorted(table.rows))
        rows += (rows.empty() ? "" : ",") + between + rowJson(row);
    return R"("calibration":)" + json::quoted(table.calibration) + R"(,"cells":[)" + rows + between + R"(],"device":)"
        + json::quoted(table.device) + R"(,"kind":)" + json::quoted(table.kind) + R"(,"schema":)" + json::quoted(kSchema);
}

[[noreturn]] void refuse(const std::string& where, const std::string& what)
{
    throw Error("this is no table of thresholds: " + what, where, "assay calibrate --thresholds FILE writes one");
}

std::string needText(const json::Value& object, std::string_view key, const std::string& where)
{
    auto text = json::stringAt(object, key);
    if (!text)
        refuse(where, "it has no " + std::string(key));
    return std::move(*text);
}

std::int64_t needCount(const json::Value& object, std::string_view key, const std::string& where)
{
    const auto count = json::integerAt(object, key);
    if (!count || *count < 0)
        refuse(where, "a cell has no " + std::string(key));
    return *count;
}

/// The device goes into contracts, whose text is written without escapes.
bool isPlain(std::string_view text)
{
    return !text.empty() && text.size() <= 100
        && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

double fromFloor(double floor)
{
    return std::min(1.0, kAboveFloor * floor);
}

/// A judge must not be talked into a limit that the calibration does not give.
void checkRow(const ThresholdRow& row, const std::string& where)
{
    const std::string name = row.gate + ", " + row.family + ", " + row.dtype;
    if (std::ranges::find(kGates, row.gate) == kGates.end())
        refuse(where, "no threshold of " + row.gate + " is a matter of calibration");
    if (row.family.empty() || row.dtype.empty())
        refuse(where, "a cell has no family or no dtype");
    if (row.threshold.has_value() != row.reason.empty())
        refuse(where, name + " has to have a threshold or a reason why there is none");
    if (!(row.holdOutBound >= 0 && row.holdOutBound <= 1) || row.holdOutAlarms > row.holdOutKernels)
        refuse(where, "the hold-out of " + name + " makes no sense");
    if (!row.threshold)
        return;
    if (!(row.seenShare >= 0 && row.seenShare <= 1))
        refuse(where, "what " + name + " sees makes no sense");
    const bool above = row.floor && *row.floor > 0 && *row.floor <= *row.threshold;
    const bool below
        = row.isOneSided ? above && *row.threshold <= fromFloor(*row.floor) : row.onset && *row.threshold <= *row.onset;
    if (!above || !below)
        refuse(where, "the threshold of " + name + " lies outside its gap");
}

ThresholdRow readRow(const json::Value& cell, const std::string& where)
{
    if (!cell.IsObject())
        refuse(where, "a cell is no object");
    ThresholdRow row;
    row.gate = needText(cell, "gate", where);
    row.family = needText(cell, "family", where);
    row.dtype = needText(cell, "dtype", where);
    row.reason = needText(cell, "reason", where);
    row.threshold = json::numberAt(cell, "threshold");
    row.floor = json::numberAt(cell, "floor");
    row.onset = json::numberAt(cell, "onset");
    row.kernels = needCount(cell, "kernels", where);
    row.holdOutKernels = needCount(cell, "hold_out_kernels", where);
    row.holdOutAlarms = needCount(cell, "hold_out_alarms", where);
    const auto bound = json::numberAt(cell, "hold_out_bound");
    if (!bound)
        refuse(where, "a cell has no hold_out_bound");
    row.holdOutBound = *bound;
    row.isOneSided = json::boolAt(cell, "one_sided").value_or(false);
    row.seenShare = json::numberAt(cell, "seen").value_or(-1);
    checkRow(row, where);
    return row;
}

} // namespace

std::vector<ThresholdRow> ThresholdTable::of(std::string_view family) const
{
    std::vector<ThresholdRow> found;
    if (std::ranges::find(kNoFamilies, family) != kNoFamilies.end())
        return found;
    std::ranges::copy_if(rows, std::back_inserter(found),
                         [family](const ThresholdRow& row) { return row.family == family && row.threshold.has_value(); });
    return found;
}

LimitGround groundOf(std::span<const Sample> samples, std::uint64_t seed, double holdOutShare, const ThresholdRule& rule)
{
    const Split halves = split(samples, seed, holdOutShare);
    return {static_cast<std::int64_t>(SampleSet(halves.calibration).conforming().clusters().size()),
            SampleSet(halves.holdOut).conforming(), oughtToBeSeen(SampleSet(samples), rule)};
}

ThresholdRow rowOf(const FrozenThreshold& frozen, std::span<const Sample> samples, std::uint64_t seed, double holdOutShare,
                   const ThresholdRule& rule)
{
    return rowOf(frozen, groundOf(samples, seed, holdOutShare, rule), rule);
}

ThresholdRow rowOf(const FrozenThreshold& frozen, const LimitGround& ground, const ThresholdRule& rule)
{
    ThresholdRow row{frozen.gate, frozen.family, frozen.dtype, {}, {}, frozen.floor, frozen.onset};
    row.kernels = ground.kernels;
    row.holdOutKernels = static_cast<std::int64_t>(ground.heldOut.clusters().size());
    const bool isSafe = frozen.state == GapState::Safe && frozen.threshold;
    if (!isSafe && !(frozen.floor && *frozen.floor > 0)) {
        row.reason = sentence(frozen.state);
        return row;
    }
    if (row.kernels < kLeastKernels || row.holdOutKernels == 0) {
        row.reason = row.kernels < kLeastKernels ? "too few kernels" : "no kernel was held out to try it on";
        return row;
    }
    const double limit = isSafe ? *frozen.threshold : fromFloor(*frozen.floor);
    const ErrorRates rates = errorRates(ground.heldOut, ground.seen, limit);
    if (!isSafe && std::log10(limit / *frozen.floor) < rule.leastBelow)
        row.reason = std::string(sentence(frozen.state)) + ", and right kernels come near the limit of the rules";
    else if (!isSafe && rates.falseAlarmKernels.hits > 0)
        row.reason = std::string(sentence(frozen.state)) + ", and a decade above the floor still charges right kernels";
    if (!row.reason.empty())
        return row;
    row.threshold = limit;
    row.isOneSided = !isSafe;
    row.holdOutAlarms = rates.falseAlarmKernels.hits;
    row.holdOutBound = rates.falseAlarmKernels.upper;
    row.seenShare = rates.missedSamples.of > 0 ? 1 - rates.missedSamples.rate() : 0;
    return row;
}

std::string canonicalJson(const ThresholdTable& table)
{
    return '{' + members(table, "") + '}';
}

std::string versionOf(const ThresholdTable& table)
{
    return sha256Hex(canonicalJson(table));
}

std::string toText(const ThresholdTable& table)
{
    return '{' + members(table, "\n") + R"(,"version":)" + json::quoted(versionOf(table)) + "}\n";
}

ThresholdTable readThresholdTable(std::string_view text, const std::string& where)
{
    json::Document document;
    if (const auto failure = json::parseStrictly(text, document))
        refuse(where, failure->reason);
    if (!document.IsObject() || json::stringAt(document, "schema") != kSchema)
        refuse(where, "its schema is not " + std::string(kSchema));
    ThresholdTable table;
    table.calibration = needText(document, "calibration", where);
    table.device = needText(document, "device", where);
    if (!isPlain(table.device))
        refuse(where, "its device has no plain name");
    table.kind = needText(document, "kind", where);
    if (table.kind != "cpu" && table.kind != "cuda")
        refuse(where, "its device is of no known kind");
    const json::Value* const cells = json::find(document, "cells");
    if (cells == nullptr || !cells->IsArray())
        refuse(where, "it has no cells");
    for (const json::Value& cell : cells->GetArray())
        table.rows.push_back(readRow(cell, where));
    table.rows = sorted(std::move(table.rows));
    if (versionOf(table) != json::stringAt(document, "version"))
        throw Error("the table of thresholds was changed since it was written: its version does not fit", where,
                    "Write it again: assay calibrate --thresholds FILE");
    return table;
}

} // namespace assay::calibration

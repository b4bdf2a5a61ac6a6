// SPDX-License-Identifier: Apache-2.0
#include "app/cli/calibration_table.h"

#include "core/text/error.h"
#include "core/text/json.h"
#include "core/text/object_text.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace assay::cli {

namespace {

using calibration::CellCalibration;

std::string number(double value)
{
    return std::isfinite(value) ? fmt::format("{:.3g}", value) : "-";
}

/// How much an unfinished run asked for, as its ask says.
struct Progress {
    std::int64_t kernels = 0;
    std::int64_t draws = 0;
    std::string device; ///< by name; "" before anything was judged
    std::int64_t asked() const { return kernels * draws; }
};

Progress progressOf(const store::CalibrationRunSummary& run)
{
    json::Document ask;
    const bool isRead = !json::parse(run.ask, ask) && ask.IsObject();
    const json::Value* const tasks = isRead ? json::find(ask, "tasks") : nullptr;
    const auto draws = isRead ? json::integerAt(ask, "draws") : std::nullopt;
    if (tasks == nullptr || !tasks->IsArray() || !draws)
        throw Error("an unfinished calibration does not say what it asked for", "begun " + run.startedAt,
                    "Measure again: assay calibrate --db FILE --restart");
    Progress progress{static_cast<std::int64_t>(tasks->Size()), *draws, {}};
    json::Document versions;
    if (!run.versions.empty() && !json::parse(run.versions, versions) && versions.IsObject())
        progress.device = json::stringAt(versions, "device").value_or("");
    return progress;
}

std::string rowText(const runner::CalibrationCell& cell)
{
    const CellCalibration& result = cell.result;
    const auto& separation = result.separation;
    const auto& alarms = result.onHoldOut.falseAlarmKernels;
    return fmt::format("{:<7} {:<12} {:<9} {:>4}+{:<4} {:>9} {:>9} {:>9} {:>7} {:>7}  {:<10} {}\n", cell.gate, cell.family,
                       cell.dtype, result.calibrationKernels, result.holdOutKernels,
                       number(separation.floor) + (separation.floorIsLargest ? "*" : ""), number(separation.onset),
                       separation.threshold ? number(*separation.threshold) : "-",
                       separation.margins ? fmt::format("{:.2f}", separation.margins->below) : "-",
                       separation.margins ? fmt::format("{:.2f}", separation.margins->above) : "-",
                       separation.threshold ? fmt::format("{}/{} <{:.2f}", alarms.hits, alarms.of, alarms.upper) : "-",
                       calibration::name(separation.state));
}

void writeEstimate(json::ObjectText& out, std::string_view name, const calibration::Estimate& estimate)
{
    out.object(name, [&] {
        out.number("value", estimate.value);
        const auto interval = [&](std::string_view which, const std::optional<sampling::Interval>& given) {
            out.optional(fmt::format("{}_low", which), given ? std::optional(given->low) : std::nullopt);
            out.optional(fmt::format("{}_high", which), given ? std::optional(given->high) : std::nullopt);
        };
        interval("bca", estimate.bca);
        interval("percentile", estimate.percentile);
    });
}

void writeRate(json::ObjectText& out, std::string_view name, const calibration::BoundedRate& rate)
{
    out.object(name, [&] {
        out.integer("count", rate.hits);
        out.integer("of", rate.of);
        out.number("upper_bound", rate.upper);
    });
}

} // namespace

std::string calibrationTable(const CalibrationOutcome& outcome)
{
    std::string text = fmt::format("{:<7} {:<12} {:<9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7}  {:<10} {}\n", "gate", "family",
                                   "dtype", "kernels", "floor", "onset", "threshold", "below", "above", "hold-out", "state");
    for (const runner::CalibrationCell& cell : outcome.cells)
        text += rowText(cell);
    text += fmt::format(
        "\n{} samples; kernels are those of the calibration half + those held out; margins in decades; hold-out: "
        "right kernels with a false alarm, and the one-sided 95 % bound of their share; * the largest sample, as there are too "
        "few for the quantile\nversion {}\n",
        outcome.samples, calibration::versionOf(outcome.frozen));
    for (const std::string& line : outcome.notJudged)
        text += "not judged: " + line + "\n";
    return text;
}

std::string calibrationJson(const CalibrationOutcome& outcome)
{
    json::ObjectText out("assay.calibrate/1");
    out.text("version", calibration::versionOf(outcome.frozen));
    out.text("device", outcome.frozen.device);
    out.integer("samples", outcome.samples);
    out.integer("resumed", outcome.resumed);
    out.objects("cells", outcome.cells, [&](const runner::CalibrationCell& cell) {
        const CellCalibration& result = cell.result;
        out.text("gate", cell.gate);
        out.text("family", cell.family);
        out.text("dtype", cell.dtype);
        out.integer("calibration_kernels", result.calibrationKernels);
        out.integer("hold_out_kernels", result.holdOutKernels);
        out.text("state", calibration::name(result.separation.state));
        out.number("floor", result.separation.floor);
        out.integer("floor_kernels", result.separation.floorKernels);
        out.flag("floor_is_largest", result.separation.floorIsLargest);
        out.number("onset", result.separation.onset);
        out.optional("threshold", result.separation.threshold);
        writeEstimate(out, "log10_threshold", result.estimates.threshold);
        writeEstimate(out, "margin_below", result.estimates.below);
        writeEstimate(out, "margin_above", result.estimates.above);
        writeRate(out, "hold_out_false_alarms", result.onHoldOut.falseAlarmKernels);
        writeRate(out, "hold_out_missed", result.onHoldOut.missedSamples);
    });
    out.texts("not_judged", outcome.notJudged);
    return out.finish();
}

std::string calibrationListText(const CalibrationList& list)
{
    std::string text;
    for (const store::CalibrationSummary& one : list.finished)
        text += fmt::format("{:.12}  {}  {:<8} {:>8} samples  {}\n", one.version, one.createdAt, one.device, one.samples,
                            one.title);
    for (const store::CalibrationRunSummary& one : list.unfinished) {
        const Progress progress = progressOf(one);
        text += fmt::format(
            "not ended     {}  {}{} of {} judgements kept ({} kernel{}, {} draw{}): the same command with --resume "
            "goes on\n",
            one.startedAt, progress.device.empty() ? "" : progress.device + ", ", one.kept, progress.asked(), progress.kernels,
            progress.kernels == 1 ? "" : "s", progress.draws, progress.draws == 1 ? "" : "s");
    }
    return text.empty() ? "no calibration yet: assay calibrate --db FILE measures one\n" : text;
}

std::string calibrationListJson(const CalibrationList& list)
{
    json::ObjectText out("assay.calibrations/1");
    out.objects("calibrations", list.finished, [&](const store::CalibrationSummary& one) {
        out.text("version", one.version);
        out.text("title", one.title);
        out.text("device", one.device);
        out.text("created_at", one.createdAt);
        out.integer("samples", one.samples);
    });
    out.objects("unfinished", list.unfinished, [&](const store::CalibrationRunSummary& one) {
        const Progress progress = progressOf(one);
        out.text("started_at", one.startedAt);
        out.text("device", progress.device);
        out.integer("kernels", progress.kernels);
        out.integer("draws", progress.draws);
        out.integer("kept", one.kept);
        out.integer("asked", progress.asked());
    });
    return out.finish();
}

} // namespace assay::cli

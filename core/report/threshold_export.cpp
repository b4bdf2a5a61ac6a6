// SPDX-License-Identifier: Apache-2.0
#include "core/report/threshold_export.h"

#include "core/runner/calibration_task.h"

namespace assay::report {

std::vector<calibration::ThresholdRow> thresholdRows(store::Database& database, const CalibrationVersion& version)
{
    const calibration::FrozenCalibration& frozen = version.frozen;
    std::vector<calibration::ThresholdRow> rows;
    for (const calibration::FrozenThreshold& one : frozen.thresholds) {
        if (one.family == "all" || one.family == "unknown")
            continue;
        const auto samples = store::cellSamples(database, version.summary.id, one.gate, one.family, one.dtype);
        rows.push_back(
            calibration::rowOf(one, samples, frozen.seed, frozen.holdOutShare, runner::ruleFor(one.dtype, frozen.rule)));
    }
    return rows;
}

calibration::ThresholdTable thresholdTable(store::Database& database, const CalibrationVersion& version)
{
    const calibration::FrozenCalibration& frozen = version.frozen;
    calibration::ThresholdTable table;
    table.calibration = version.summary.version;
    // "cuda:0" alone does not tell which device it was.
    const auto named = frozen.versions.find("device");
    table.device = named == frozen.versions.end() ? frozen.device : named->second;
    table.kind = frozen.device.substr(0, frozen.device.find(':'));
    table.rows = thresholdRows(database, version);
    return calibration::readThresholdTable(calibration::toText(table), version.summary.title); // refuses what a judge would
}

} // namespace assay::report

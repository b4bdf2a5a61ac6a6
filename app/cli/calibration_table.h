// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/frozen.h"
#include "core/runner/calibration_task.h"
#include "core/store/calibration_run.h"

#include <string>
#include <vector>

namespace assay::cli {

/// What a calibration came to.
struct CalibrationOutcome {
    std::vector<runner::CalibrationCell> cells;
    calibration::FrozenCalibration frozen;
    std::int64_t samples = 0;
    std::int64_t resumed = 0;           ///< judgements that an earlier process had made
    std::vector<std::string> notJudged; ///< "control NAME: why"
};

/// A line for each gate, op family and dtype: kernels, floor, onset, threshold, margins in decades, false alarms on the hold-out
/// half.
std::string calibrationTable(const CalibrationOutcome& outcome);
/// The same as one object.
std::string calibrationJson(const CalibrationOutcome& outcome);

/// What a database has of calibrations.
struct CalibrationList {
    std::vector<store::CalibrationSummary> finished;      ///< the newest first
    std::vector<store::CalibrationRunSummary> unfinished; ///< the same
};

/// Of each calibration version, when, device, samples and title; of each unfinished run how far it came.
/// @throws Error  where a run's ask cannot be read
std::string calibrationListText(const CalibrationList& list);
std::string calibrationListJson(const CalibrationList& list);

} // namespace assay::cli

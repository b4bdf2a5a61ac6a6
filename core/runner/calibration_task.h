// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/calibrate.h"
#include "core/runner/control.h"
#include "core/runner/mutant.h"
#include "core/runner/verdict_summary.h"
#include "core/runner/verify_ask.h"
#include "core/store/calibration_store.h"

#include <string>
#include <string_view>
#include <vector>

namespace assay::runner {

/// A pair whose judgement is measured for a calibration.
struct CalibrationTask {
    std::string kernel; ///< stable identity: "control softmax-online", "mutant fp16-accumulate"
    std::string family; ///< ingest::opFamily()
    Source reference;
    Source candidate;
    bool isDefect = false;
    std::string contract = "strict";     ///< the mutant's own profile
    std::vector<std::string> gates = {}; ///< of a defect: those that have to catch it
};

/// The controls on @p device, then the mutants that a gate with a calibrated threshold has to catch.
std::vector<CalibrationTask> calibrationTasks(const std::vector<Control>& controls, const std::vector<Mutant>& mutants,
                                              std::string_view device);

/// The samples of one judgement. Of a right candidate all: its own values, the evaluations of its reference and their
/// disturbances. Of a wrong one its own values alone, under the gates that have to catch it.
std::vector<store::CalibrationSample> samplesOf(const CalibrationTask& task, const std::vector<contract::ExcessSample>& measured);

/// One gate, op family and dtype with what became of its samples.
struct CalibrationCell {
    std::string gate;
    std::string family; ///< "all": of every family
    std::string dtype;
    calibration::CellCalibration result;
};

/// @p rule as it is for @p dtype: what has to be seen is at least eight of its unit roundoffs.
calibration::ThresholdRule ruleFor(const std::string& dtype, calibration::ThresholdRule rule);

/// Calibrates every gate, op family and dtype of @p samples, and each gate and dtype over all families. In a dtype whose
/// roundings are coarser, what has to be seen is larger than rule.seenFrom: eight of its unit roundoffs.
/// @throws Cancelled  when options.stop asks for it
std::vector<CalibrationCell> calibrateCells(const std::vector<store::CalibrationSample>& samples,
                                            const calibration::ThresholdRule& rule, double holdOutShare,
                                            const calibration::BootstrapOptions& options);

} // namespace assay::runner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/threshold_table.h"
#include "core/report/calibration_data.h"

namespace assay::report {

/// A row for every gate, op family and dtype of @p version, but those over all families at once and those of kernels of no known
/// family.
std::vector<calibration::ThresholdRow> thresholdRows(store::Database& database, const CalibrationVersion& version);

/// What a judge takes of @p version: those rows, and the device they hold for.
/// @throws Error  where the device that was calibrated on has no name that a contract could carry
calibration::ThresholdTable thresholdTable(store::Database& database, const CalibrationVersion& version);

} // namespace assay::report

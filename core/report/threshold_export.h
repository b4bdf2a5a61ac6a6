// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/threshold_table.h"
#include "core/report/calibration_data.h"

namespace assay::report {

/// What a judge takes of @p version: a row for every gate, op family and dtype that it has, but those over all families at once
/// and those of kernels of no known family.
/// @throws Error  where the device that was calibrated on has no name that a contract could carry
calibration::ThresholdTable thresholdTable(store::Database& database, const CalibrationVersion& version);

} // namespace assay::report

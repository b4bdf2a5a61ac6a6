// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/calibration_store.h"

#include <string>

namespace assay::store {

class Statement;

/// The columns of one sample as every table of samples names them, behind the id of what it belongs to.
inline constexpr const char* kSampleColumns = "gate, family, dtype, kind, kernel, perturbation, value, value_class, source";

/// Binds kSampleColumns to the parameters 2 to 10.
void bindSample(Statement& insert, const CalibrationSample& row);

/// From columns source, kind, kernel, perturbation, value and value_class, the first six.
/// @throws DatabaseError where the kind is none that is known
calibration::Sample sampleAt(const Statement& query, const Database& database);

/// From those and gate, family and dtype behind them.
CalibrationSample calibrationSampleAt(const Statement& query, const Database& database);

/// What sampleAt() and calibrationSampleAt() read.
inline constexpr const char* kReadSample = "source, kind, kernel, perturbation, value, value_class, gate, family, dtype";

} // namespace assay::store

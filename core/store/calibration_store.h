// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/frozen.h"
#include "core/calibration/sample.h"
#include "core/store/database.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Calibrations: what was measured, and the thresholds that were frozen from it. Never edited: another rule makes another
/// version.
namespace assay::store {

/// One sample and the gate, op family and dtype it belongs to.
struct CalibrationSample {
    std::string gate;
    std::string family;
    std::string dtype;
    std::string source; ///< which evaluation or candidate was measured
    calibration::Sample sample;
};

struct CalibrationSummary {
    std::int64_t id = 0;
    std::string version; ///< SHA-256 of the definition
    std::string title;
    std::string device;
    std::string createdAt;
    std::string definition; ///< canonicalJson() of what was frozen
    std::int64_t samples = 0;
};

/// Writes a calibration with its samples in one transaction.
/// @param createdAt  when it was measured, UTC; "": now
/// @return the existing one's id where this version is there already; nothing is added then
std::int64_t insertCalibration(Database& database, const calibration::FrozenCalibration& frozen, const std::string& title,
                               const std::vector<CalibrationSample>& samples, const std::string& createdAt = {});

/// The newest first.
std::vector<CalibrationSummary> calibrations(Database& database);

/// Samples of calibration @p id in the order they were written.
std::vector<CalibrationSample> calibrationSamples(Database& database, std::int64_t id);

/// Those of them that belong to one gate and dtype. @param family  "all": of every family
std::vector<calibration::Sample> cellSamples(Database& database, std::int64_t id, const std::string& gate,
                                             const std::string& family, const std::string& dtype);

} // namespace assay::store

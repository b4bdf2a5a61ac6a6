// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/calibration_data.h"

#include <filesystem>
#include <string>

/// A calibration as a file of its own: gzipped JSON lines. The first is an object with schema, version, title, when, what was
/// frozen (device, versions, seed, share held out, rule and thresholds), the number of samples and the SHA-256 of their lines;
/// each further one is a sample: [gate, family, dtype, kind, kernel, source, scale or null, value].
namespace assay::report {

/// Writes @p version whole or not at all. The same calibration gives the same bytes.
/// @throws Error that names the path
void writeCalibrationFile(store::Database& database, const CalibrationVersion& version, const std::filesystem::path& path);

/// What loadCalibrationFile() found.
struct LoadedCalibration {
    std::string version;
    std::string title;
    std::int64_t samples = 0;
    bool isNew = false; ///< false: the database has had it
};

/// Reads such a file into @p database, bit for bit what was written.
/// @throws Error  where the file is none, is cut off or was changed; nothing is stored then
LoadedCalibration loadCalibrationFile(store::Database& database, const std::filesystem::path& path);

} // namespace assay::report

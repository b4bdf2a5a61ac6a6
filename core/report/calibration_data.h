// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/figure.h"
#include "core/store/calibration_store.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Calibrations as they are read back from a database, for figures.
namespace assay::report {

/// One version of the thresholds.
struct CalibrationVersion {
    store::CalibrationSummary summary;
    calibration::FrozenCalibration frozen;
};

/// A calibration that others published, and the corpus it came with.
struct PublishedCalibrationFile {
    std::string corpus;
    std::string file;
    calibration::PublishedCalibration calibration;
};

/// Every version, the newest first.
/// @throws Error  where a definition cannot be read
std::vector<CalibrationVersion> calibrationVersions(store::Database& database);

/// The version whose hash begins with @p prefix; "" : the newest.
/// @throws Error  where there is none or several
CalibrationVersion calibrationVersion(store::Database& database, std::string_view prefix);

/// What published audits in the database say of thresholds; a document that cannot be read is left out.
std::vector<PublishedCalibrationFile> publishedCalibrations(store::Database& database);

/// What they say of @p gate with margins in it; the first where several do.
std::optional<calibration::PublishedGate> publishedGate(const std::vector<PublishedCalibrationFile>& files,
                                                        std::string_view gate);

/// The cell of @p version that @p gate, @p family and @p dtype name; "" stands for any. Of several, the one over all families
/// and of float32 comes first.
/// @throws Error  that lists the cells where none fits
calibration::CellName chooseCell(const CalibrationVersion& version, const std::string& gate, const std::string& family,
                                 const std::string& dtype);

/// The figure of @p cell, with what was published of its gate.
/// @throws Cancelled  when options.stop asks for it
calibration::FigureData loadFigure(store::Database& database, const CalibrationVersion& version,
                                   const calibration::CellName& cell, const calibration::BootstrapOptions& options);

/// The numbers behind the figure, one a line: part, series, x, y, low, high. Zeros and non-finite values are counted lines.
std::string toCsv(const calibration::FigureData& figure);

} // namespace assay::report

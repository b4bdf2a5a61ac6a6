// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/kolmogorov_smirnov.h"
#include "core/report/calibration_data.h"

#include <QString>

#include <optional>
#include <vector>

namespace assay::views {

/// A line of the list: a cell of the chosen version, or a gate of a published calibration.
struct CellRow {
    calibration::CellName cell; ///< family "published" and no dtype where it was published
    calibration::GapState state = calibration::GapState::NoConforming;
    std::optional<double> threshold;
    std::optional<calibration::Margins> margins; ///< of the threshold
    std::optional<calibration::Limit> limit;     ///< what decides; nothing where it was published
    QString note;                                ///< of a published gate without margins: what was published instead
    bool isThinBelow = false;                    ///< less than the rule asks for
    bool isThinAbove = false;
    bool isPublished() const { return cell.family == "published"; }
};

/// What the place lists, read at one go.
struct CalibrateData {
    std::vector<report::CalibrationVersion> versions; ///< newest first
    std::size_t chosen = 0;
    std::vector<CellRow> rows; ///< by gate; all families first, published ones last
};

/// @param version  hash of the chosen version; "" or one that is gone: the newest
CalibrateData loadCalibrateData(store::Database& database, const std::string& version);

/// How the noise floor of another version's device compares.
struct DeviceDrift {
    QString device;
    QString version;
    calibration::KolmogorovSmirnov test;
};

/// A figure with what else is said of its cell.
struct ShownFigure {
    calibration::FigureData figure;
    std::vector<DeviceDrift> drifts; ///< versions of other devices that have the cell
};

ShownFigure loadShownFigure(store::Database& database, const CalibrateData& data, const calibration::CellName& cell,
                            std::stop_token stop);

/// "1.09"
QString decadesText(double decades);
/// "1.09 (12.4×)"
QString marginText(double decades);

} // namespace assay::views

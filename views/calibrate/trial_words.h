// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/threshold_proposal.h"
#include "views/calibrate/calibrate_data.h"

#include <QString>

#include <optional>
#include <vector>

/// What the calibrate place says below its figure.
namespace assay::views::trial_words {

/// What the frozen or the tried threshold gets right and wrong, and what can be done with it.
/// @param row    the cell's line in the list, nullptr where it has none
/// @param ghost  the threshold that is tried
QString trial(const calibration::FigureData& shown, const CellRow* row, std::optional<double> ghost);

/// A line for each other device whose noise floor is known; "" where there is none.
QString drift(const std::vector<DeviceDrift>& drifts);

/// What a threshold would turn around in the verdicts of the database.
QString flips(double threshold, const std::vector<report::VerdictFlip>& found);

} // namespace assay::views::trial_words

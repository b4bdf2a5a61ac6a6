// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/calibration_data.h"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::report {

/// A gate of a judged kernel that another threshold would turn around.
struct VerdictFlip {
    std::int64_t verdictId = 0;
    std::int64_t kernelId = 0;
    std::string corpus;
    std::string audit;
    std::string externalId;
    std::string title;
    double excess = 0;        ///< worst error over bound; +Inf where it is not finite
    bool toFail = false;      ///< else from fail to pass
    bool turnsKernel = false; ///< the kernel's whole verdict with it: no other gate fails
};

/// Verdicts of this database's own audits that @p threshold would turn around for the kernels of @p cell. A gate counts by its
/// worst error over bound; one that fails for another reason as well stays failed and is left out. Nothing is changed.
std::vector<VerdictFlip> flipsUnder(store::Database& database, const calibration::CellName& cell, double threshold);

/// The version that has @p threshold in @p cell and is else as @p version.
calibration::FrozenCalibration withThreshold(const CalibrationVersion& version, const calibration::FigureData& figure,
                                             double threshold);

/// Writes that version with the same samples. The old one stays as it is.
/// @return the new version's hash
/// @throws Error  where the threshold is not finite and positive or is the frozen one already
std::string proposeThreshold(store::Database& database, const CalibrationVersion& version, const calibration::FigureData& figure,
                             double threshold);

} // namespace assay::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/calibration_store.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// A calibration while it is measured: what its judgements gave is kept as it comes, so that a killed one goes on.
namespace assay::store {

/// What one judgement of a run gave.
struct CalibrationJudgement {
    std::size_t place = 0; ///< among the judgements that the run asks for, from 0
    std::vector<CalibrationSample> samples;
    std::string notJudged; ///< why it could not be judged, "" where it was
    std::string versions;  ///< JSON object, "" where unknown
};

/// The unfinished run that was asked for with @p ask. @param ask  canonical: the same text asks for the same judgements
std::optional<std::int64_t> findCalibrationRun(Database& database, const std::string& ask);

/// Begins a run. @throws DatabaseError where one with this ask is unfinished already
std::int64_t beginCalibrationRun(Database& database, const std::string& ask);

/// Keeps a judgement; on disk when it returns. One that is there already, by another process, stays.
/// @throws Error where the run is gone
void keepJudgement(Database& database, std::int64_t run, const CalibrationJudgement& judgement);

/// What is kept, by place.
std::vector<CalibrationJudgement> keptJudgements(Database& database, std::int64_t run);

/// An unfinished run, without what it measured.
struct CalibrationRunSummary {
    std::string ask;       ///< as it was given to beginCalibrationRun()
    std::string startedAt; ///< UTC
    std::int64_t kept = 0; ///< judgements
    std::string versions;  ///< JSON object of what measured, "" where no judgement says
};

/// Every unfinished run, the newest first; one that another process is measuring now is among them.
std::vector<CalibrationRunSummary> calibrationRuns(Database& database);

/// Forgets a run: its calibration is written, or it begins anew.
void discardCalibrationRun(Database& database, std::int64_t run);

} // namespace assay::store

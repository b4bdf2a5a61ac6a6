// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/calibration_run.h"
#include "core/store/database.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace assay::cli {

/// Keeps what a calibration measures in its database as it comes, and knows what an earlier process kept of the same.
class CalibrationKeeper {
public:
    enum class Start {
        New,    ///< refuses where an unfinished run has judgements
        Resume, ///< goes on with it; begins one where there is none
        Over,   ///< forgets it
    };

    /// @param database  null: nothing is kept
    /// @param ask       canonical text of what is asked for
    /// @param count     judgements asked for, for what is said
    /// @throws Error  where a run would be lost
    CalibrationKeeper(store::Database* database, const std::string& ask, std::size_t count, Start start);

    /// What is kept from before, by place.
    const std::vector<store::CalibrationJudgement>& before() const { return m_before; }
    /// Any thread. @throws Error where the machine's versions are not those of what is kept
    void keep(const store::CalibrationJudgement& judgement);
    /// Judgements that are in the database now.
    std::size_t kept() const;
    /// The calibration is written: nothing is left to go on with.
    void finish();

private:
    void requireSameVersions(const std::string& versions) const;

    store::Database* m_database;
    std::int64_t m_run = 0;
    std::vector<store::CalibrationJudgement> m_before;
    std::size_t m_kept = 0;
    mutable std::mutex m_mutex;
};

} // namespace assay::cli

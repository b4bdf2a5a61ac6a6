// SPDX-License-Identifier: Apache-2.0
#include "app/cli/calibration_keeper.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {

CalibrationKeeper::CalibrationKeeper(store::Database* database, const std::string& ask, std::size_t count, Start start)
    : m_database(database)
{
    if (m_database == nullptr)
        return;
    if (const auto run = store::findCalibrationRun(*m_database, ask)) {
        m_before = store::keptJudgements(*m_database, *run);
        if (start == Start::New && !m_before.empty())
            throw Error(fmt::format("{} of the {} judgements of this calibration are kept from a run that did not end",
                                    m_before.size(), count),
                        m_database->path().string(), "Add --resume to go on with them, or --restart to begin anew");
        if (start == Start::Over) {
            store::discardCalibrationRun(*m_database, *run);
            m_before.clear();
        } else {
            m_run = *run;
        }
    }
    if (m_run == 0)
        m_run = store::beginCalibrationRun(*m_database, ask);
    m_kept = m_before.size();
}

void CalibrationKeeper::requireSameVersions(const std::string& versions) const
{
    const auto known
        = std::ranges::find_if(m_before, [](const store::CalibrationJudgement& one) { return !one.versions.empty(); });
    if (known != m_before.end() && !versions.empty() && known->versions != versions)
        throw Error("what is kept of this calibration was measured with other versions", known->versions,
                    "Resume where it began, or add --restart to begin anew with " + versions);
}

void CalibrationKeeper::keep(const store::CalibrationJudgement& judgement)
{
    if (m_database == nullptr)
        return;
    const std::lock_guard lock(m_mutex);
    requireSameVersions(judgement.versions);
    store::keepJudgement(*m_database, m_run, judgement);
    ++m_kept;
}

std::size_t CalibrationKeeper::kept() const
{
    const std::lock_guard lock(m_mutex);
    return m_kept;
}

void CalibrationKeeper::finish()
{
    if (m_database != nullptr)
        store::discardCalibrationRun(*m_database, m_run);
}

} // namespace assay::cli

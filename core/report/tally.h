// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_strip.h"
#include "core/report/report.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay::report {

/// One verdict as a report counts it.
struct CountedRow {
    std::string_view family;
    bool accepted = false;
    bool executable = false; ///< its status leaves a reference to compare with
    bool audited = false;
    bool toleranceFree = false;
    bool anyViolation = false;
    bool forgiven = false;
    contract::GateStrip strip;
    int failMask = 0;
    std::optional<double> elapsedSeconds;
};

/// Counts rows one by one; memory grows with families and fail sets, and by eight bytes for a row's time.
class Tally {
public:
    void add(const CountedRow& row);

    /// Moves the counts into @p report. Links are those of the stored flags, or of @p ruleName where it is not "".
    void finish(AuditReport& report, const std::string& ruleName, const std::vector<std::string>& excludedStatuses);

private:
    void addGates(const CountedRow& row, FamilyCounts& family);

    std::int64_t m_rows = 0, m_accepted = 0, m_executable = 0, m_audited = 0, m_toleranceFree = 0, m_anyViolation = 0,
                 m_forgiven = 0;
    double m_elapsedTotal = 0;
    bool m_hasElapsed = false;
    std::vector<double> m_elapsed; ///< of audited rows, seconds
    std::array<GateCounts, contract::kGateCount> m_perGate;
    std::map<std::string, FamilyCounts, std::less<>> m_families;
    std::unordered_map<int, std::int64_t> m_failSets;
};

/// "CMP-01, EXC-01" for the bits of @p failMask.
std::string gateList(int failMask, std::string_view separator);

} // namespace assay::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/contract/verdict.h"
#include "core/runner/verdict_read.h"

#include <array>
#include <string>
#include <vector>

namespace assay::runner {

/// What one gate came to.
struct GateSummary {
    contract::Verdict verdict = contract::Verdict::Absent;
    contract::Severity severity = contract::Severity::None;
    int exercised = 0;
    int total = 0;
    std::string finding;
    bool noted = false; ///< a check or a flag of this gate remarks something that is not charged
};

/// The part of a verdict that tables are made of.
struct VerdictSummary {
    contract::Verdict verdict = contract::Verdict::Error;
    std::array<GateSummary, contract::kGateCount> gates; ///< Absent where a gate was not asked
    std::string reason;                                  ///< why it could not be judged, or the worst finding
    std::string torch;                                   ///< version of torch it was judged with, "" where unknown
    std::string versions;                                ///< JSON object of all of them, "" where unknown
    std::string deviceName;                              ///< "NVIDIA H200", "" where unknown
    double seconds = 0;
    std::vector<contract::ExcessSample> excess; ///< where a calibration was asked for

    const GateSummary& of(contract::Gate gate) const { return gates[static_cast<std::size_t>(contract::indexOf(gate))]; }
    GateSummary& of(contract::Gate gate) { return gates[static_cast<std::size_t>(contract::indexOf(gate))]; }
};

VerdictSummary summaryOf(const ReceivedVerdict& received);

} // namespace assay::runner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/excess_probe.h"
#include "core/runner/party_time.h"
#include "core/store/judgement_writer.h"
#include "core/text/json.h"

#include <string>
#include <vector>

namespace assay::runner {

/// A verdict as a worker reported it, read back.
struct ReceivedVerdict {
    store::JudgedKernel judged;
    store::JudgedAuditKey key;                  ///< versions are "" where no process came up
    std::string deviceName;                     ///< "NVIDIA H200", "" where it has none
    std::vector<contract::ExcessSample> excess; ///< where a calibration was asked for
    PartyTime referenceTime;
    PartyTime candidateTime;
};

/// Reads the object that writeVerdict() wrote; with evidence_json.h's members tensors become artifacts.
/// @throws Error where the object is none or contradicts itself: a worker of another version
ReceivedVerdict readVerdict(const json::Value& verdict);

/// Reads the object that writeGate() wrote, without the tensors that its checks may bring. @throws Error likewise
contract::GateResult readGateResult(const json::Value& gate);

/// Takes the tensors out of a verdict's checks.
void eraseEvidence(json::Value& verdict);

} // namespace assay::runner

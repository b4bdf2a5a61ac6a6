// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"
#include "core/contract/result.h"
#include "kernels/device/ptxas_log.h"

#include <vector>

namespace assay::contract {

/// A resource that ran out where the reference answered.
struct KeptRefusal {
    device::ResourceRefusal refusal;
    StimulusRecord stimulus;
};

/// Failures of the candidate that any gate met and whose text says that a resource ran out: RES-02 reports them.
class RefusalLog {
public:
    /// Looks through the failure's message; keeps the first refusal of every kind.
    void note(const PartyFailure& failure, const StimulusRecord& stimulus);

    const std::vector<KeptRefusal>& kept() const { return m_kept; }

private:
    std::vector<KeptRefusal> m_kept;
};

} // namespace assay::contract

// SPDX-License-Identifier: Apache-2.0
#include "core/contract/refusal_log.h"

#include <algorithm>

namespace assay::contract {

void RefusalLog::note(const PartyFailure& failure, const StimulusRecord& stimulus)
{
    for (device::ResourceRefusal& refusal : device::findResourceRefusals(failure.message)) {
        const bool known
            = std::ranges::any_of(m_kept, [&refusal](const KeptRefusal& kept) { return kept.refusal.kind == refusal.kind; });
        if (!known)
            m_kept.push_back({std::move(refusal), stimulus});
    }
}

} // namespace assay::contract

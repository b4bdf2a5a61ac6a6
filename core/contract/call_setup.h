// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"
#include "core/contract/value_question.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::contract {

/// What one call of both sides was made from, so that it can be made again without the judge.
struct CallSetup {
    std::string init;                   ///< tree of constructor arguments, canonical JSON; leaves are initLeaves
    std::string arguments;              ///< tree of forward's arguments; leaves are inputs
    std::vector<HostTensor> initLeaves; ///< in the reference's order
    std::vector<HostTensor> inputs;     ///< with the layout that the call had
    ModuleState referenceState;         ///< parameters and buffers that the call started from
    ModuleState candidateState;
    std::string cast;                          ///< "float16", "bfloat16": both sides run in that dtype; "": as they are
    SizeChoice sizes;                          ///< that both sides were constructed with
    bool isUneven = false;                     ///< see Stimulus
    std::optional<ValueVerdictOptions> values; ///< where it was the values that were judged: how; its code is the check's own
};

} // namespace assay::contract

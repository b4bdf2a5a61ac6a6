// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/session.h"

#include <span>
#include <string>
#include <vector>

namespace assay::contract {

/// One forward call among many: input leaves, and the reference's parameters that differ from the session's state for this call
/// alone.
struct Trial {
    StimulusPtr stimulus;
    ModuleState state;
};

/// Asks one side about all @p trials in few scripts: a gate of dozens of small calls would otherwise wait for the pipe. Where
/// the process is lost its calls are asked again one by one; the answers then end with the call that loses it.
/// @return at most as many answers as trials, in order
std::vector<Asked<CallRecord>> askReferenceAll(Session& session, const ShapePtr& shape, std::span<const Trial> trials,
                                               const std::string& precision);
std::vector<Asked<CallRecord>> askCandidateAll(Session& session, const ShapePtr& shape, std::span<const Trial> trials);

} // namespace assay::contract

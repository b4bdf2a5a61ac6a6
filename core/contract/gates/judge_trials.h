// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_run.h"
#include "core/contract/trials.h"

#include <functional>
#include <span>
#include <string_view>

namespace assay::contract::gates {

/// A trial and what its check will say it was.
struct PlannedTrial {
    Trial trial;
    StimulusRecord record;
};

/// Receives the answers to one trial: R64, R32 and the candidate's, of equal shapes.
using TrialJudge = std::function<void(std::size_t trial, const CallRecord& exact, const CallRecord& shipped, const CallRecord& answer)>;

/// Asks all three about every trial and hands on those where they can be compared. What the reference refuses is inapplicable,
/// what loses its process is not exercised, and what the candidate raises, dies of or answers in other shapes fails. Ends with the
/// first hard failure of the gate, and asks nothing once there is one.
void judgeTrials(GateRun& run, const ShapePtr& shape, std::string_view code, std::span<const PlannedTrial> planned,
                 const TrialJudge& judge);

} // namespace assay::contract::gates

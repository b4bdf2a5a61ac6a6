// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_run.h"
#include "core/contract/subnormal_stimuli.h"

#include <vector>

namespace assay::contract::gates {

/// Asks both sides about @p stimuli and judges the answers, one check each: NaN, Inf or garbage out of subnormal numbers hard
/// (`n`), numbers that are flushed against the contract soft (`flush`). Source: gates.md section 4, EXC-02.
void judgeSubnormals(GateRun& run, const ShapePtr& shape, const std::vector<SubnormalStimulus>& stimuli);

} // namespace assay::contract::gates
